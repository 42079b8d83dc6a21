"""For the tests of those who write providers: a suite to run, and skills in memory. The suite alone needs pytest."""

"""`python -m skillsvc`: the command line."""

from skillsvc.cli.app import main

if __name__ == "__main__":
    main()

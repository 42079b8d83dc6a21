"""The folders of tenants that the documents name are those that a server looks for."""

import re
from pathlib import Path

import pytest

from skillsvc.domain.folder_template import FolderTemplate
from skillsvc.domain.partition import Partition

PAGE = (Path(__file__).parents[3] / "docs" / "sources" / "directory.md").read_text()
ROW = re.compile(r"^\| `([^`{]+)` \| (?:`([^`]+)`)? ?\| `(skills/[^`]+)` \|$", re.MULTILINE)
KINDS = ("token:", "spiffe://", "cert:", "oidc:")


@pytest.mark.parametrize(("principal", "project", "folder"), ROW.findall(PAGE))
def test_the_folder_of_a_principal_is_the_one_that_is_looked_for(principal: str, project: str, folder: str) -> None:
    template = FolderTemplate.parse("skills/{principal}/{project}")
    assert folder == f"{template.root}/{template.beneath(Partition(principal=principal, project=project))}"


def test_a_principal_of_each_kind_is_shown() -> None:
    shown = [principal for principal, _, _ in ROW.findall(PAGE)]
    assert all(any(principal.startswith(kind) for principal in shown) for kind in KINDS)

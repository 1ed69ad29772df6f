from __future__ import annotations

from tests.each_case import each_case
from transforms.projects.join_folders import normalise_remote


@each_case(
    "address",
    [
        "git@example.com:team/app.git",
        "https://example.com/team/app",
        "https://someone@example.com/team/app.git/",
        "ssh://git@example.com:2222/team/app.git",
        "https://EXAMPLE.com/Team/App",
    ],
)
def test_all_addresses_of_a_repository_are_one(address: str) -> None:
    assert normalise_remote(address) == "example.com/team/app"


@each_case("address", [None, "", "/srv/git/app.git", "../app", "file:///srv/app", "C:\\git\\app", "example.com"])
def test_a_folder_is_not_an_address_that_two_machines_share(address: str | None) -> None:
    assert normalise_remote(address) is None

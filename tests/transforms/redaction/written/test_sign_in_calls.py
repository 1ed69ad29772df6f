"""The third argument of a call that signs in is a password when a place and an account stand before it."""

from tests.each_case import each_case
from transforms.redaction.redact import redact


@each_case(
    "text, secret",
    [
        (r"mysql_connect('localhost', 'eshop', 'rohl\'y.s.masl') or die('down');", "masl"),
        ("if (!ftp_login($ftp, 'volantes', 'alfa%maicena')) {", "maicena"),
        ('cn.Open "Provider=SQLOLEDB;Data Source=DB1;", "lager", "Palet7en"', "Palet7en"),
        (r"c = pymssql.connect('sql01', 'SHOP\\svc-bi', 'Brass-Monkey (7)', 'Sales')", "Monkey (7"),
        ('c = new NetworkCredential("alerts@shop.example", @"Say""Cheese""2day");', "Cheese"),
        ("imap_open('{mail.example.org:993}', 'bob', 'gro%undel')", "undel"),
    ],
)
def test_the_argument_behind_a_place_and_an_account_is_taken_out_whole(text: str, secret: str) -> None:
    assert secret not in redact(text)
    assert redact(text).count("[redacted:") == 1


@each_case(
    "text",
    [
        "connect(store, 'todo', 'click-on')",
        "Open('localhost', 'report', 'Sheet of 2024')",
        'fs.Open("data.db", os.O_RDWR, 0644)',
        "login(page, user, '/home/start2')",
        "signal.connect('localhost', 'clicked', 'on_press.py')",
        "authenticate(request, username, password)",
        "connect(HOST, 'user', PASSWORD_2)",
    ],
)
def test_names_files_and_words_behind_others_stay(text: str) -> None:
    assert redact(text) == text

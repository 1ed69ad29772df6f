"""Secrets among the arguments of commands."""

from tests.each_case import each_case
from transforms.redaction.command_secrets import find_command_secrets

VALUE = "lantern" + "anchor"


@each_case(
    "command",
    [
        "mosquitto_pub -h 10.0.0.3 -u ha -P {} -t a",
        "ipmitool -I lanplus -H bmc -U ADMIN -P {} power status",
        "snmpget -v3 -u z -a SHA -A {} host",
        "net use Z: \\\\srv\\share {} /user:NAS\\ann",
        "sqlplus -s app/{}@//db:1521/XE",
        "lftp -u web,{} ftp.example",
        "smbclient //nas/x -U ann%{}",
        "curl -s --user 'ann:{}' https://a.example",
        "echo -n {} | cryptsetup open /dev/sdb1 x",
        "7z x -p{} a.7z",
        '7z x -p"{} 3 chips" a.7z',
        "printf '%s\\n' '{}' | restic -r /srv/r --password-file /dev/stdin snapshots",
        "echo {} | tool login --user ann --password-stdin",
        "ansible-vault encrypt_string '{}' --name db",
        "restic -r /srv/r --password-command 'echo {}' snapshots",
        "openssl enc -aes-256-cbc -k {} -in a -out b",
        "hcloud context create x <<'EOF'\n{}\nEOF",
        "curl 'https://a.example/login?u=ann&p={}'",
        "swaks -tls -au ann@a.example -ap {} -q AUTH",
        'expect "assword:"\nsend "{}\\r"',
        "71:    stats auth ann:{}",
    ],
)
def test_the_argument_of_a_command_is_a_secret_whatever_it_looks_like(command: str) -> None:
    text = command.format(VALUE)
    assert any(VALUE in text[start:end] for start, end, _ in find_command_secrets(text))


@each_case(
    "command",
    [
        "mkdir -p src/app",
        "docker run -p 8080:80 nginx",
        "mysql -u root -p -h 127.0.0.1",
        'sshpass -p "$PASS" ssh a',
        'curl -u "$USER:$TOKEN" https://a.example',
        '7z a -mx=9 out.7z "-p" frames',
        "ssh -p 2222 host",
        'mosquitto_pub -u ha -P "$(cat pw)" -t a',
        "| Session | PASS (`entire/a23`) |",
        "> jest\n\nPASS test/riders/riders.e2e-spec.ts (6.1 s)\nPASS src/orders/orders.spec.ts\n",
        "zip -r site.zip dist",
    ],
)
def test_variables_and_other_flags_are_no_secrets(command: str) -> None:
    assert list(find_command_secrets(command)) == []

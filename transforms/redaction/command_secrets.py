"""Finds secrets among the arguments of commands: each command has flags or places that hold one, whatever it looks like."""

# ruff: noqa: E501 - a pattern or a made text is read best on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.written.value_ends import write_argument

BARE_VALUE = r"[^\s\"'`\\,;|<>(){}$][^\s\"'`\\;|<>()]{2,300}"
MOST_BLANKS = 6
"""Blanks in a value; more are in a command."""
_Q = r"[\"'`]"
_VALUE = rf"(?P<secret>{write_argument(BARE_VALUE)})"
_LINE = r"[^\n|;&]{0,240}?"


def _take_flags(commands: str, flags: str) -> str:
    """Return the pattern of commands with a secret behind a flag, joined by a blank, an equals sign or as an item of a list."""
    return rf"(?<![\w./-])(?:{commands})(?:\.exe)?\b{_LINE}[\s\"'](?:{flags})(?:={_Q}?|\\*{_Q}?\s*,?\s+\\*{_Q}?|\\*{_Q}\s*,\s*\\*{_Q}){_VALUE}"


def _take_joined(commands: str, flags: str) -> str:
    """Return the pattern of commands whose secret is written right behind a flag."""
    return rf"(?<![\w./-])(?:{commands})(?:\.exe)?\b{_LINE}[\s\"'](?:{flags}){_Q}?{_VALUE}"


COMMANDS: tuple[tuple[str, str], ...] = (
    ("mosquitto_|ipmitool|zip |unzip |sqlcmd|coap-client|racadm", _take_flags("mosquitto_(?:pub|sub|rr)|ipmitool|zip|unzip|sqlcmd", "-P")),
    ("encrypt_string|password-command", rf"(?:\bencrypt_string\s+(?:--?\w[\w-]*\s+)*{_Q}?|--password-command[= ]\\*{_Q}?echo\s+){_VALUE}"),
    ("openssl enc&-k ", _take_flags("openssl enc", "-k")),
    ("snmp", _take_flags("snmp(?:get|walk|set|bulkwalk|getnext|trap|table)", "-A")),
    ("snmp", _take_flags("snmp(?:get|walk|set|bulkwalk|getnext|trap|table)", "-X")),
    ("snmp", _take_flags("snmp(?:get|walk|set|bulkwalk|getnext|trap|table)", "-c")),
    ("7z|rar |qpdf|pdftk|pdftotext", _take_joined("7z[ar]?|unrar|rar", "-(?:hp|p)(?=[^\\s-])")),
    ("qpdf|pdftk|pdftotext", _take_flags("qpdf|pdftk|pdftotext", "--password|user_pw|owner_pw|-upw|-opw|input_pw")),
    ("mysql|mariadb", _take_joined("mysql\\w*|mariadb\\w*", "-p(?=[^\\s-])|--password=")),
    ("sshpass|mongo|psexec|evil-winrm|crackmapexec|netexec|hydra|rdesktop|docker|podman|helm |az |bw |racadm|vncviewer|buildah|skopeo|regctl|oras &sshpass|mongo|psexec|evil-winrm|crackmapexec|netexec|nxc|rdesktop| login",
     _take_flags("sshpass|mongo\\w*|psexec|evil-winrm|crackmapexec|netexec|nxc|rdesktop|(?:docker|podman|helm(?: registry)?|az|buildah|skopeo|oras) login", "-p|--password")),
    ("redis-cli|valkey-cli|keydb", _take_flags("redis-cli|valkey-cli|keydb-cli", "-a|--pass")),
    ("ldap|kinit|security ", _take_flags("ldap\\w+|security \\w+-password", "-w")),
    ("freerdp|cmdkey|wmic|schtasks|psexec|net use", _take_joined("[xw]l?freerdp\\d?|cmdkey|wmic|schtasks", "/p:|/pass:|/password:|/rp[: ]")),
    ("plink|pscp|psftp|vncviewer|x11vnc|ssh-keygen|putty", _take_flags("plink|pscp|psftp|putty|x11vnc|vncviewer|ssh-keygen", "-pw|-passwd|-N|-P")),
    ("keytool|jarsigner|apksigner|signtool", _take_flags("keytool|jarsigner|apksigner|signtool \\w+", "-(?:store|key|src|dest)\\w*pass|--ks-pass|--key-pass|/p")),
    ("openssl|gpg|age |restic|borg|rclone|svn |wget|curl|http |nmcli|iwconfig|wpa_|cloudflared|tailscale|ngrok|slmgr|vault |doctl|hcloud|heroku|npm |vercel|netlify|flyctl|fly |consul|snyk|sonar&-pass|-secret|-auth|-api|-access|-k pass:",
     _take_flags("openssl|gpg2?|svn|wget|curl|psql|kubectl|ansible\\w*|sshpass|duplicity|xfreerdp|oc|gh|glab|netlify|vercel|wrangler|npm|sonar-scanner|snyk",
                 "--(?:\\w+-)*(?:pass(?:word|phrase|wd)?|secret|auth-?key|auth-?token|api-?key|api-?token|access-?token)|-passin|-passout|-pass|-k(?= pass:)")),
    ("nmcli|wpa_passphrase|iwconfig|netsh", rf"(?<![\w./-])(?:nmcli\b{_LINE}\bpassword\s+{_Q}?|wpa_passphrase\s+{_Q}?[^\s\"']+{_Q}?\s+{_Q}?|iwconfig\b{_LINE}\bkey\s+(?:s:)?){_VALUE}"),
    ("cloudflared|tailscale|ngrok|slmgr|vault login|doctl|hcloud|heroku|claim|register&cloudflared|tailscale|ngrok|slmgr|vault login|doctl auth|register|sentry-cli|auth:token",
     rf"(?<![\w./-])(?:cloudflared service install|cloudflared tunnel run --token|tailscale (?:up|login) --auth-?key[= ]|ngrok (?:config add-authtoken|authtoken)|slmgr(?:\.vbs)? [/-]ipk"
     rf"|vault login(?: -\S+)*|doctl auth init (?:-t|--access-token)|gitlab-runner register\b{_LINE}-token|sentry-cli login --auth-token|auth:token)\s*{_Q}?{_VALUE}"),
    ("net use|net user|NET USE", rf"(?i)\bnet use\s+(?:\S:|\*)?\s*\S+\s+{_VALUE}(?=\s+/user)"),
    ("net use|net user|NET USE", rf"(?i)\bnet user\s+\S+\s+(?!/){_VALUE}(?=\s+/(?:add|domain|y|expires|active)|\s*$)"),
    ("sqlplus|impdp|expdp|rman ", r"(?<![\w./-])(?:sqlplus|impdp|expdp|rman|sqlldr)\b[^\n|;&]{0,60}?\s[\"']?[\w.$#]{1,40}/(?P<secret>[^\s@/\"'$]{3,80})(?=@|[\"'\s]|$)"),
    ("lftp|curlftpfs|smbclient|rpcclient|mount|net rpc|winexe|smbmap&lftp|ncftp", rf"(?<![\w./-])(?:lftp|ncftp\w*)\b{_LINE}-u\s+{_Q}?[^\s,\"']{{1,60}},{_VALUE}"),
    ("smbclient|rpcclient|winexe|net rpc|smbget", rf"(?<![\w./-])(?:smbclient|rpcclient|winexe|smbget|net rpc)\b{_LINE}-U\s*{_Q}?[^\s%\"']{{1,60}}%{_VALUE}"),
    ("curl|http |xh |wget", rf"(?<![\w./-])curl\b(?:[^\n]|(?<=\\)\n){{0,300}}?\s(?:-[a-zA-Z]{{0,8}}u|--user|--proxy-user|-U)[\s=]+\\*{_Q}?[^\s:\"'\\$]{{0,80}}:(?P<secret>[^\"'\\\s$][^\"'\\\n]{{3,120}}?)(?=\\*[\"']|\s|$)"),
    ("curl", rf"(?<![\w./-])curl\b(?:[^\n]|(?<=\\)\n){{0,300}}?\s(?:-u|--user)[\s=]+\\*{_Q}?(?P<secret>(?=[\w-]{{0,80}}\d)[\w.-]{{20,120}}):(?=\\*[\"']|\s|$)"),
    ("htpasswd", rf"(?<![\w./-])htpasswd\s+-\w*b\w*\s+(?:-\w+\s+)*(?:{_Q}?[^\s\"'-][^\s\"']*{_Q}?\s+){{1,2}}?{_Q}?{_VALUE}(?={_Q}?\s*(?:$|\n|[|>;&]))"),
    ("sudo|cryptsetup|passwd|docker|podman|kinit|gpg|openssl|smbpasswd|helm|restic|wpa_passphrase|vncpasswd|htpasswd|base64&echo|printf",
     rf"(?:echo|printf)\s+(?:-\w+\s+|{_Q}%s(?:\\+n)?{_Q}\s+)?{_Q}?(?:[^\s\"':|$]{{1,60}}:)?{_VALUE}{_Q}?\s*\|\s*(?:sudo (?:-S|-kS|cryptsetup|chpasswd|passwd|tee -a \S*secret)|cryptsetup|chpasswd|passwd|kinit|(?:docker|podman|helm)\b[^\n]{{0,60}}stdin|gpg\b[^\n]{{0,60}}-fd|smbpasswd|vncpasswd|base64 -d)"),
    ("stdin|-fd&echo|printf&|",  # whatever reads a password from its input
     rf"(?:echo|printf)\s+(?:-\w+\s+|{_Q}%s(?:\\+n)?{_Q}\s+)?{_Q}?{_VALUE}{_Q}?\s*\|[^\n|;&]{{0,120}}?\s--?pass\w*[-=\w]*(?:[ =]/dev/stdin|-stdin|-fd)\b"),
    ("EOF|<<<", rf"(?<![\w./-])(?:hcloud context create|gh auth login|kinit|vault login|docker login|doctl auth init|fly auth|wrangler login|passwd|chpasswd|cryptsetup)\b[^\n]{{0,80}}(?:<<<\s*{_Q}?(?:[\w.-]{{1,40}}:)?|<<-?\s*{_Q}?\w+{_Q}?\n){_VALUE}"),
    ("input text|xdotool|ydotool", rf"(?<![\w./-])(?:adb(?: -s \S+)? shell input text|[xy]dotool type(?: --\S+(?: \d+)?)*)\s+\\*{_Q}?(?P<secret>(?=\S{{0,80}}[\d!#$%&*?^~])(?!\S+@\S+\.\w+)[^\s\"'\\]{{6,120}})"),
    ("IDENTIFY|identify|AUTH |LOGIN ", r"(?:(?i:nickserv)\S{0,24}[ :]+(?i:identify)(?: [\w`\[\]-]{1,30})?|(?<=\d )LOGIN \S{1,60}) (?P<secret>[^\s\"'\\]{6,100})(?=\s|\\|\"|$)"),
    # The id that a server gives a browser opens what its password does; ids of conversations have other names.
    ("ssionid=|SSIONID=|PHPSESSID=", r"(?i)(?:jsession|phpsess)id=(?P<secret>(?=[a-z_.%-]*\d)[\w%-]{20,200}(?:\.[\w%-]+)*)"),
    # Names of two arguments that differ in u and p alone are those of an account and its password, whichever program reads them.
    ("p=", r"(?<=[?&;\s\"'])u=[^&\s\"'\\]{1,80}&(?:amp;)?p=(?P<secret>[^&\s\"'\\#;<>)]{4,120})"),
    (" -ap | --ap ", rf"(?<=\s)--?au[ =]{_Q}?[^\s\"'-]\S{{0,80}}(?:\s[^\n|;&]{{0,120}}?)?\s--?ap[ =]{_Q}?{_VALUE}"),
    ("expect&assword|asscode|assphrase&send",  # who waits for a prompt sends what it asks for
     r"expect[^\n]{0,20}[\"'{][^\n\"'{}]{0,40}(?:assword|asscode|assphrase)[^\n\"'}]{0,20}[\"'}][\s{;]{0,12}(?:send(?:_user|line)?|exp_send)\b[ (]{1,3}(?:-- )?[\"'{]?(?P<secret>[^\s\"'{}$\\]{4,120})"),
    ("auth ", r"(?m)^[^\n\"'#]{0,40}(?<![\w-])(?:stats|http|basic|proxy) auth[ \t]+[A-Za-z][\w.@-]{0,40}:(?P<secret>[^\s\"'\\:/$]{4,80})(?=\\|\s|\"|$)"),
    # A test that passes begins its line with PASS, too; who logs in says a name first.
    ("PASS &USER |NICK ", r"(?:FTP: |> |C: |^)PASS (?P<secret>[^\s\"'\\]{6,100})(?=\s|\\|\"|$)"),
)  # fmt: skip
"""Beginnings of which one stands in every text with a command, behind `&` parts of its pattern of which one stands there, too,
and the pattern of the command with its secret."""

_PATTERNS = [([some.split("|") for some in signs.split("&")], compile_late(pattern, re.M)) for signs, pattern in COMMANDS]
_HARMLESS = compile_late(
    r"(?i)^(?:[$%<{*]|\.\.\.|x{3,}$|-|--|pass(?:word|wd)?$|secret$|changeme|your|token$|stdin$|env:|file:|prompt$|redacted|\[|\d{1,5}(?::\d+)?$|/|\./|~/|@|\w+=?\$|true$|false$|null$|none$|v?\d+\.\d+)"
)
_PIPED = r"\| ?(?:sudo -k?S|sudo cryptsetup|cryptsetup|sudo chpasswd|chpasswd|passwd|kinit|docker login|podman login|helm registry|gpg |smbpasswd|vncpasswd|base64|mkpasswd|argon2|htpasswd)"
COMMAND_HINTS = (
    r"mosquitto_[a-z]+|ipmitool|snmp[a-z]+ |sqlcmd|sshpass|psexec|evil-winrm|crackmapexec|netexec|rdesktop|redis-cli|valkey-cli|ldap[a-z]+ |freerdp|cmdkey|wmic |schtasks|plink |pscp |x11vnc|vncviewer"
    r"|keytool|jarsigner|apksigner|qpdf|unrar|7z[ar]? |iwconfig|wpa_passphrase|cloudflared|tailscale (?:up|login)|ngrok |slmgr|vault login|doctl |hcloud |auth:token|gitlab-runner|pwgen |openssl rand|/dev/urandom|/run/secrets/|op read|pass show|encrypt_string |password-command[ =]",
    r"net use |net user |sqlplus|impdp|expdp|lftp |ncftp|smbclient|rpcclient|winexe|smbget|htpasswd|input text|dotool type|NickServ|nickserv|PASS [^\s]{6,40}(?:\\[rn]|\")",
    r"curl(?: [^\"]{0,200})? -(?:[a-zA-Z]{0,8}u|-user|-proxy-user|U)|mysql[a-z]* [^\"]{0,120}-p|mariadb[a-z]* [^\"]{0,120}-p|mongo[a-z]* [^\"]{0,120}-p|zip [^\"]{0,60}-P|ssh-keygen [^\"]{0,80}-N|docker login|podman login|az login"
    r"|nmcli [^\"]{0,80}password|openssl [^\"]{0,120}-(?:pass|k )|gpg2? [^\"]{0,80}--pass|kubectl [^\"]{0,120}--[a-z-]*(?:pass|secret|token)|svn [^\"]{0,80}--pass|npm [^\"]{0,80}--[a-z-]*(?:auth|token)",
    rf"{_PIPED}|(?:hcloud context create|gh auth login|kinit|vault login|docker login|passwd|chpasswd|smbpasswd|[a-z-]*stdin|--with-token)[^\"]{{0,60}}<<|mkpasswd |obscure |hash-password |passwd [^|]|(?<=/dev/)stdin|(?<=word-)stdin|(?<=phrase-)stdin",
    r" (?:-u|-U|--user(?:name)?|--auth|--creds?)[ =]?(?:\\*[\"'])?[A-Za-z][A-Za-z0-9_.@-]{0,60}:[^\"\s/]|(?:add[-_ ]?user|user[-_ :](?:add|create)|create[-_ ]?user|[_-]pass(?:word|wd)) (?:-{1,2}[a-z-]+ )*[A-Za-z]|&(?:amp;)?p=| --?ap |expect |(?:stats|http|basic|proxy) auth |(?:jsession|JSESSION|PHPSESS)(?:id|ID)=",
)
"""Patterns over raw JSON, of which one finds something in every text with a command that holds a secret. Rust searches the first one;
the others, which Python reads, begin with the literals of `secret_rules.COMMAND_HINT`."""
AROUND_CHARS = 420
"""Characters on both sides of such a place that are judged."""


def find_command_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where secrets among the arguments of commands begin and end; variables and placeholders are none."""
    for signs, pattern in _PATTERNS:
        if all(any(sign in text for sign in some) for some in signs):
            for match in pattern.finditer(text):
                start, end = match.span("secret")
                value = text[start:end]
                if value.startswith("pass:"):
                    start, value = start + 5, value[5:]
                if (
                    len(value) >= 4
                    and value.count(" ") <= MOST_BLANKS
                    and not _HARMLESS.match(value)
                    and "redacted:" not in value
                ):
                    yield start, end, "password"

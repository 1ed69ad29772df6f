"""What languages call recovery codes.

Written by `benchmarks/learning/secret_names.py` from the translations of django-allauth; all in small letters.
"""

# fmt: off
RECOVERY_PHRASES: tuple[str, ...] = (
    "atkopšanas kodi", "atkūrimo kodai", "berreskuratze-kodeak", "bərpa kodları", "codes de récupération",
    "codici di recupero", "codis de recuperació", "coduri de recuperare", "códigos de recuperación",
    "códigos de recuperação", "gendannelseskoder", "gjenopprettingskoder", "helyreállítási kódok", "herstelcodes",
    "kode pemulihan", "kodovi za oporavak", "kody odzyskiwania", "kurtarma kodları", "kòd rekiperasyon",
    "obnovitvene kode", "palautuskoodit", "qayta tiklash kodlari", "tiklash kodlari", "varukoodid",
    "wiederherstellungs-codes", "záchranné kódy", "záložné kódy", "återställningskoder", "κωδικοί aνάκτησης",
    "κωδικοί ανάκτησης", "калыбына келтирүү коддору", "ключове за възстановяване", "коди для відновлення",
    "кодове за възстановяване", "кодови за опоравак", "коды восстановления", "сэргээх кодууд", "קודי שחזור",
    "رموز استرداد", "کدهای بازیابی", "รหัสการกู้คืน", "აღდგენის კოდები", "リカバリーコード",
    "復原碼", "恢复代码", "恢復代碼", "복구 코드",
)

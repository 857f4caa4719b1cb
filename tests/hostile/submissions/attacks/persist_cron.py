"""Leaves a job for later."""
import os

for place in ("/var/spool/cron", "/var/spool/cron/crontabs", "/etc/cron.d", "/etc/profile.d", "/etc/systemd/system", "@HOME@"):
    try:
        os.close(os.open(place + "/@MARK@", os.O_CREAT | os.O_RDWR, 0o666))
    except OSError as error:
        print(error)
raise OSError("all refused, or not")

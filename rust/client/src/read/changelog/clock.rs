//! The cluster's time: the newest position of changes, and wall clocks of the account's zone.

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use doris_arrow::change::TSO_LOGICAL_BITS;
use doris_arrow::normalize::Zone;
use reqwest::StatusCode;

use super::Changelog;
use crate::config::address::Address;
use crate::error::{Error, ErrorKind};
use crate::fe::envelope::number;

const MICROS: i64 = 1_000_000;

/// The newest position: no change that is committed later gets a smaller TSO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newest {
    /// As the server reports it.
    pub tso: i64,
    /// Its milliseconds since 1970 UTC.
    pub millis: i64,
}

/// An instant that a wall clock stands for, and the zone in which it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instant {
    /// Milliseconds since 1970 UTC.
    pub millis: i64,
    /// As the server names it.
    pub zone: String,
}

/// How the newest position is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The view `information_schema.tso_status`.
    TsoStatus,
    /// `GET /api/tso`, which earlier servers have.
    Api,
}

/// The zone of the account's connections.
#[derive(Clone, Debug)]
pub(super) struct AccountZone {
    name: String,
    zone: Zone,
}

impl Changelog {
    /// The newest position. Asks the front end and in the way that answered last, since another one may be behind;
    /// where that fails all others, each in both ways.
    pub async fn position(&self) -> Result<Newest, Error> {
        let known = self.known();
        let first = known.as_ref().map(|(fe, _)| fe);
        let ways = match known {
            Some((_, Way::Api)) => [Way::Api, Way::TsoStatus],
            _ => [Way::TsoStatus, Way::Api],
        };
        self.frontends
            .first_from(first, "reading the newest position (TSO)", |fe| async move {
                let (position, way) = self.position_at(&fe, ways).await?;
                self.remember(fe, way);
                Ok(position)
            })
            .await
    }

    async fn position_at(&self, fe: &Address, ways: [Way; 2]) -> Result<(Newest, Way), Error> {
        let mut refusals = Vec::new();
        for way in ways {
            let asked = match way {
                Way::TsoStatus => self.by_tso_status(fe).await,
                Way::Api => self.by_api(fe).await,
            };
            match asked {
                Ok(position) => return Ok((position, way)),
                Err(error) if error.kind() == ErrorKind::Query => refusals.push(error.to_string()),
                Err(error) => return Err(error),
            }
        }
        // Another front end may know what this one does not report: earlier followers did.
        Err(Error::new(
            ErrorKind::Query,
            format!(
                "tells no position: {} (changes can be followed on Doris 5.0 or newer, with enable_feature_changelog = true in fe.conf)",
                refusals.join("; ")
            ),
        )
        .unresolved())
    }

    async fn by_tso_status(&self, fe: &Address) -> Result<Newest, Error> {
        const SQL: &str = "SELECT CURRENT_TSO, CURRENT_TSO_PHYSICAL_TIME FROM information_schema.tso_status";
        let rows = self.frontends.statement(fe, "information_schema", SQL).await?;
        let figure = |name: &str| -> Result<i64, Error> {
            let told = rows.first(name)?;
            told.and_then(|text| text.parse().ok()).ok_or_else(|| {
                Error::new(
                    ErrorKind::Query,
                    format!("front end {fe} tells no {name}: {told:?}"),
                )
            })
        };
        Newest::checked(fe, figure("CURRENT_TSO")?, figure("CURRENT_TSO_PHYSICAL_TIME")?)
    }

    /// The newest position as `GET /api/tso` reports it, which does not advance it.
    async fn by_api(&self, fe: &Address) -> Result<Newest, Error> {
        let reply = self.frontends.get(fe, "/api/tso").await?;
        // A server without it may still give the position in the other way.
        if reply.status == StatusCode::NOT_FOUND {
            let message = format!("front end {fe} has no /api/tso (status 404)");
            return Err(Error::new(ErrorKind::Query, message));
        }
        let data = self
            .frontends
            .open_envelope(fe, "GET /api/tso", reply.status, &reply.text)?;
        let figure = |name: &str| -> Result<i64, Error> {
            data.get(name).and_then(number).ok_or_else(|| {
                let message = format!("front end {fe} answered /api/tso without {name}: {data}");
                Error::new(ErrorKind::Query, message)
            })
        };
        Newest::checked(fe, figure("current_tso")?, figure("current_tso_physical_time")?)
    }

    /// The instant of a wall clock `yyyy-MM-dd HH:mm:ss` in the account's zone, which is read once. A time that
    /// a clock change leaves out is the first instant after it; of a time that occurs twice it is the earlier one.
    pub async fn instant(&self, text: &str) -> Result<Instant, Error> {
        let wall = parse_wall(text).ok_or_else(|| {
            Error::new(
                ErrorKind::Config,
                format!("'{text}' is no time; allowed: yyyy-MM-dd HH:mm:ss, such as 2026-10-09 10:00:00"),
            )
        })?;
        let zone = self.account_zone().await?;
        let micros = zone.zone.first_instant(micros_of(wall)).ok_or_else(|| {
            Error::new(
                ErrorKind::Config,
                format!("'{text}' is out of range in time zone {}", zone.name),
            )
        })?;
        Ok(Instant {
            millis: micros.div_euclid(1000),
            zone: zone.name.clone(),
        })
    }

    /// The wall clock that the account's zone shows at an instant, rounded down to the second.
    pub(super) async fn wall_text(&self, millis: i64) -> Result<String, Error> {
        let zone = self.account_zone().await?;
        let shown = millis
            .div_euclid(1000)
            .checked_mul(MICROS)
            .and_then(|micros| zone.zone.wall(micros))
            .and_then(DateTime::from_timestamp_micros);
        shown
            .map(|time| time.format("%Y-%m-%d %H:%M:%S").to_string())
            .filter(|text| parse_wall(text).is_some())
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::Internal,
                    format!("{millis} ms cannot be shown as a time in zone {}", zone.name),
                )
            })
    }

    async fn account_zone(&self) -> Result<&AccountZone, Error> {
        self.zone.get_or_try_init(|| self.ask_zone()).await
    }

    async fn ask_zone(&self) -> Result<AccountZone, Error> {
        const SQL: &str = "SELECT @@time_zone AS account, @@system_time_zone AS host";
        let rows = self
            .frontends
            .first("reading the account's time zone", |fe| async move {
                self.frontends.statement(&fe, "information_schema", SQL).await
            })
            .await?;
        let account = rows.first("account")?.unwrap_or_default().trim().to_owned();
        let name = if account.eq_ignore_ascii_case("SYSTEM") {
            rows.first("host")?.unwrap_or_default().trim().to_owned()
        } else {
            account
        };
        let zone = Zone::parse(&name).ok_or_else(|| {
            Error::new(
                ErrorKind::Config,
                format!(
                    "the account's time zone (@@time_zone) is '{name}', which is not known here; set one such as +08:00 or Asia/Shanghai on the server (SET GLOBAL time_zone = …)"
                ),
            )
        })?;
        tracing::info!(zone = name, "the time zone of the account's connections");
        Ok(AccountZone { name, zone })
    }
}

impl Newest {
    /// A position whose two figures fit each other.
    pub(crate) fn checked(fe: &Address, tso: i64, millis: i64) -> Result<Self, Error> {
        if millis <= 0 || tso >> TSO_LOGICAL_BITS != millis {
            return Err(Error::new(
                ErrorKind::Query,
                format!(
                    "front end {fe} tells TSO {tso} at {millis} ms, which is no position (its TSO may not be calibrated yet)"
                ),
            ));
        }
        Ok(Self { tso, millis })
    }
}

/// Parses `yyyy-MM-dd HH:mm:ss` and nothing else.
pub(super) fn parse_wall(text: &str) -> Option<NaiveDateTime> {
    let bytes = text.as_bytes();
    if bytes.len() != 19 {
        return None;
    }
    for (byte, shape) in bytes.iter().zip(b"dddd-dd-dd dd:dd:dd") {
        let fits = match shape {
            b'd' => byte.is_ascii_digit(),
            other => byte == other,
        };
        if !fits {
            return None;
        }
    }
    let number = |from: usize, to: usize| text[from..to].parse::<u32>().ok();
    let year = i32::try_from(number(0, 4)?).ok()?;
    NaiveDate::from_ymd_opt(year, number(5, 7)?, number(8, 10)?)?.and_hms_opt(
        number(11, 13)?,
        number(14, 16)?,
        number(17, 19)?,
    )
}

fn micros_of(wall: NaiveDateTime) -> i64 {
    wall.and_utc().timestamp_micros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_times_of_the_calendar_are_taken() {
        let shown = |text: &str| parse_wall(text).map(|wall| micros_of(wall) / MICROS);
        assert_eq!(shown("2026-10-09 10:00:00"), Some(1_791_540_000));
        assert_eq!(shown("1970-01-01 00:00:00"), Some(0));
        assert!(shown("2024-02-29 23:59:59").is_some() && shown("0000-01-01 00:00:00").is_some());
        for text in [
            "",
            "2026-10-09",
            "2026-10-09T10:00:00",
            "2026-10-09 10:00:00.0",
            "2026-10-09 10:00:00Z",
            "2026-10-09 10:00:0",
            "2026-1-09 10:00:00",
            " 2026-10-09 10:00:0",
            "+026-10-09 10:00:00",
            "2026-02-30 00:00:00",
            "2025-02-29 00:00:00",
            "2026-13-01 00:00:00",
            "2026-10-09 24:00:00",
            "2026-10-09 10:60:00",
            "2026-10-09 10:00:60",
            "２026-10-09 10:00:0",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    #[test]
    fn a_position_is_one_number_told_twice() {
        let fe = Address::new("fe", 8030);
        let (tso, millis) = (461_373_440_032_243_713, 1_760_000_000_123);
        assert_eq!(Newest::checked(&fe, tso, millis).unwrap(), Newest { tso, millis });
        for (tso, millis) in [(tso, millis + 1), (0, 0), (-1, -1), (1 << 18, 0)] {
            let error = Newest::checked(&fe, tso, millis).unwrap_err();
            assert!(error.to_string().contains("no position"), "{error}");
        }
    }
}

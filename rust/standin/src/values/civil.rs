//! The proleptic Gregorian calendar on plain integers, years 0000 to 9999 as Doris has them.

/// Microseconds of a second.
pub const MICROS: i64 = 1_000_000;
/// Seconds of a day.
pub const DAY: i64 = 86_400;

/// A wall clock reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    /// 0 to 9999.
    pub year: i64,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31.
    pub day: u32,
    /// 0 to 23.
    pub hour: u32,
    /// 0 to 59.
    pub minute: u32,
    /// 0 to 59.
    pub second: u32,
    /// 0 to 999999.
    pub micro: u32,
}

/// Days since 1970-01-01.
pub fn days_of(year: i64, month: u32, day: u32) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let shifted = i64::from((month + 9) % 12);
    let day_of_year = (153 * shifted + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day of a day number.
pub fn date_of(days: i64) -> (i64, u32, u32) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u32;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// Length of a month.
pub fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

impl Civil {
    /// Microseconds since 1970-01-01 00:00:00 on the same clock.
    pub fn micros(&self) -> i64 {
        let days = days_of(self.year, self.month, self.day);
        let seconds = days * DAY + i64::from(self.hour * 3600 + self.minute * 60 + self.second);
        seconds * MICROS + i64::from(self.micro)
    }

    /// The reading at a number of microseconds since 1970-01-01 00:00:00.
    pub fn at(micros: i64) -> Self {
        let seconds = micros.div_euclid(MICROS);
        let (year, month, day) = date_of(seconds.div_euclid(DAY));
        let in_day = seconds.rem_euclid(DAY) as u32;
        Self {
            year,
            month,
            day,
            hour: in_day / 3600,
            minute: in_day / 60 % 60,
            second: in_day % 60,
            micro: micros.rem_euclid(MICROS) as u32,
        }
    }

    /// True for a date that exists, within the years Doris knows.
    pub fn is_valid(&self) -> bool {
        (0..=9999).contains(&self.year)
            && (1..=12).contains(&self.month)
            && (1..=days_in_month(self.year, self.month)).contains(&self.day)
            && self.hour < 24
            && self.minute < 60
            && self.second < 60
            && self.micro < 1_000_000
    }
}

/// First microsecond of year 0000.
pub fn min_micros() -> i64 {
    days_of(0, 1, 1) * DAY * MICROS
}

/// Last microsecond of year 9999.
pub fn max_micros() -> i64 {
    (days_of(9999, 12, 31) + 1) * DAY * MICROS - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_border_reads_back() {
        for (y, m, d, days) in [
            (1970, 1, 1, 0),
            (0, 1, 1, -719_528),
            (9999, 12, 31, 2_932_896),
            (2024, 2, 29, 19_782),
        ] {
            assert_eq!(days_of(y, m, d), days);
            assert_eq!(date_of(days), (y, m, d));
        }
    }

    #[test]
    fn times_before_the_epoch_keep_their_fraction() {
        let civil = Civil::at(-1);
        assert_eq!((civil.year, civil.second, civil.micro), (1969, 59, 999_999));
        assert_eq!(civil.micros(), -1);
    }
}

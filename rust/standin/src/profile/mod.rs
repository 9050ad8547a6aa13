//! Switches of a server generation: a profile (`--profile`) sets all of them, `--set NAME=VALUE` one.

pub mod changelog;
pub mod load;

use std::str::FromStr;

use crate::profile::changelog::{
    ChangelogErrors, ChangelogSwitches, FenceRule, PredicateDelete, RecordForms, TsoStatus,
};
use crate::profile::load::{LoadSwitches, LongTexts};

/// Declares an enum of named choices with `FromStr` and the list of its names.
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    other => Err(format!("`{other}` is none of {}", [$($text),+].join(", "))),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$variant => $text),+ })
            }
        }
    };
}
pub(crate) use choices;

choices! {
    /// How `DATETIME(s)` leaves through Flight.
    DatetimeForm {
        /// Timestamp without zone: the wall clock as if it were UTC.
        Zoneless = "zoneless",
        /// Timestamp with the session's zone text: the real instant.
        SessionZone = "session_zone",
        /// Text.
        Utf8 = "utf8",
    }
}
choices! {
    /// How `DATE` leaves through Flight.
    DateForm {
        /// Date32.
        Date32 = "date32",
        /// Text.
        Utf8 = "utf8",
    }
}
choices! {
    /// How `LARGEINT` leaves through Flight.
    LargeintForm {
        /// Decimal digits.
        Utf8 = "utf8",
        /// FixedSizeBinary(16), little endian.
        FixedBinary = "fixed_binary",
    }
}
choices! {
    /// How `IPV4` leaves through Flight.
    Ipv4Form {
        /// The bits as Int32.
        Int32 = "int32",
        /// UInt32.
        UInt32 = "uint32",
        /// Dotted text.
        Utf8 = "utf8",
    }
}
choices! {
    /// How `IPV6` leaves through Flight.
    Ipv6Form {
        /// The usual text.
        Utf8 = "utf8",
        /// The number in decimal digits.
        Decimal = "decimal",
    }
}
choices! {
    /// Unit of the Float64 that `TIME` leaves as.
    TimeForm {
        /// Microseconds.
        Micros = "micros",
        /// Seconds.
        Seconds = "seconds",
    }
}
choices! {
    /// How `HLL` leaves through Flight.
    HllForm {
        /// Binary.
        Binary = "binary",
        /// Utf8 field.
        Utf8 = "utf8",
    }
}
choices! {
    /// Family of names of the changelog: properties, hidden columns, error texts.
    NameSet {
        /// `changelog.*`.
        Changelog = "changelog",
        /// `binlog.*`.
        Binlog = "binlog",
        /// Both are accepted.
        Both = "both",
    }
}
choices! {
    /// Which end of a changelog window belongs to it.
    Border {
        /// `[start,end)`.
        StartInclusive = "start_inclusive",
        /// `(start,end]`.
        EndInclusive = "end_inclusive",
    }
}

/// Every switch. Fields are read where the behaviour lives; nothing asks for the profile's name but messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switches {
    /// Name of the profile the switches started from.
    pub profile: String,
    /// Text of `@@version_comment` and the `Version` columns, such as `doris-5.0.0`.
    pub version: String,
    /// See [`DatetimeForm`].
    pub datetime_form: DatetimeForm,
    /// doris#68392: the Arrow field names microseconds while the values are in the unit of the scale.
    pub datetime_unit_fault: bool,
    /// See [`DateForm`].
    pub date_form: DateForm,
    /// See [`LargeintForm`].
    pub largeint_form: LargeintForm,
    /// See [`Ipv4Form`].
    pub ipv4_form: Ipv4Form,
    /// See [`Ipv6Form`].
    pub ipv6_form: Ipv6Form,
    /// See [`TimeForm`].
    pub time_form: TimeForm,
    /// See [`HllForm`].
    pub hll_form: HllForm,
    /// Flight fields carry the metadata key `doris_type`.
    pub doris_type_metadata: bool,
    /// Flight tokens are pooled sessions that `CloseSession` ends (else a cache of tokens).
    pub flight_session_pool: bool,
    /// The changelog exists (`@incr`, TSO).
    pub changelog: bool,
    /// See [`NameSet`].
    pub changelog_names: NameSet,
    /// See [`Border`].
    pub changelog_border: Border,
    /// `compress_type` of a load works for CSV only.
    pub compress_csv_only: bool,
    /// A text `IN` a list of integers compares texts (else numbers).
    pub in_compares_texts: bool,
    /// A column of a table may be TIME; else it comes out of expressions only.
    pub time_columns: bool,
    /// `TABLET(id)` reads nothing for an id that the table does not have (else an error).
    pub unknown_tablets_ignored: bool,
    /// Global value of the session variable `enable_parallel_result_sink`: results lie on several endpoints.
    pub parallel_result_sink: bool,
    /// Switches of changelog queries and the TSO.
    pub change: ChangelogSwitches,
    /// Switches of loads and transactions.
    pub load: LoadSwitches,
}

/// Names of the profiles, the default first.
pub const PROFILES: [&str; 5] = [
    "doris-5.0",
    "doris-4.1",
    "doris-2.1",
    "doris-5.0-binlog",
    "cloud-5.0",
];

impl Default for Switches {
    fn default() -> Self {
        Self {
            profile: "doris-5.0".into(),
            version: "doris-5.0.0".into(),
            datetime_form: DatetimeForm::Zoneless,
            datetime_unit_fault: false,
            date_form: DateForm::Date32,
            largeint_form: LargeintForm::Utf8,
            ipv4_form: Ipv4Form::Int32,
            ipv6_form: Ipv6Form::Utf8,
            time_form: TimeForm::Micros,
            hll_form: HllForm::Binary,
            doris_type_metadata: true,
            flight_session_pool: true,
            changelog: true,
            changelog_names: NameSet::Both,
            changelog_border: Border::StartInclusive,
            compress_csv_only: false,
            in_compares_texts: false,
            time_columns: true,
            unknown_tablets_ignored: false,
            parallel_result_sink: false,
            change: ChangelogSwitches::default(),
            load: LoadSwitches::default(),
        }
    }
}

impl Switches {
    /// The switches of a named profile; an unknown name is an error that lists the known ones.
    pub fn profile(name: &str) -> Result<Self, String> {
        let newest = Self {
            profile: name.into(),
            ..Self::default()
        };
        match name {
            "doris-5.0" => Ok(newest),
            "cloud-5.0" => Ok(Self {
                change: ChangelogSwitches {
                    errors: ChangelogErrors::Typed,
                    fence: FenceRule::Cloud,
                    ..ChangelogSwitches::default()
                },
                load: LoadSwitches {
                    two_phase_on_unique: false,
                    ..LoadSwitches::default()
                },
                ..newest
            }),
            "doris-5.0-binlog" => Ok(Self {
                changelog_names: NameSet::Binlog,
                changelog_border: Border::EndInclusive,
                // The pool came after the new names: a client of that time opens a session for each window and closes none.
                flight_session_pool: false,
                change: ChangelogSwitches {
                    tso_status: TsoStatus::Plain,
                    records: RecordForms {
                        predicate_delete: PredicateDelete::Silent,
                        ..RecordForms::default()
                    },
                    ..ChangelogSwitches::default()
                },
                ..newest
            }),
            "doris-4.1" => Ok(Self {
                version: "doris-4.1.0".into(),
                changelog: false,
                change: ChangelogSwitches {
                    incr_ignored: true,
                    ..ChangelogSwitches::default()
                },
                doris_type_metadata: false,
                time_form: TimeForm::Seconds,
                flight_session_pool: false,
                parallel_result_sink: true,
                time_columns: false,
                ..newest
            }),
            "doris-2.1" => Ok(Self {
                version: "doris-2.1.0".into(),
                datetime_form: DatetimeForm::SessionZone,
                datetime_unit_fault: true,
                date_form: DateForm::Utf8,
                largeint_form: LargeintForm::FixedBinary,
                ipv4_form: Ipv4Form::UInt32,
                ipv6_form: Ipv6Form::Decimal,
                time_form: TimeForm::Seconds,
                hll_form: HllForm::Utf8,
                doris_type_metadata: false,
                flight_session_pool: false,
                changelog: false,
                compress_csv_only: true,
                in_compares_texts: true,
                load: LoadSwitches {
                    long_texts: LongTexts::Filter,
                    enclose_keeps_quotes: true,
                    ..LoadSwitches::default()
                },
                ..newest
            }),
            other => Err(format!(
                "unknown profile `{other}`; known are {}",
                PROFILES.join(", ")
            )),
        }
    }

    /// Sets one switch from `NAME=VALUE`; the error names the switch and what it takes.
    pub fn set(&mut self, assignment: &str) -> Result<(), String> {
        let (name, value) = assignment
            .split_once('=')
            .ok_or_else(|| format!("`{assignment}` is not NAME=VALUE"))?;
        match name.trim() {
            "version" => put(&mut self.version, name, value),
            "datetime_form" => put(&mut self.datetime_form, name, value),
            "datetime_unit_fault" => put(&mut self.datetime_unit_fault, name, value),
            "date_form" => put(&mut self.date_form, name, value),
            "largeint_form" => put(&mut self.largeint_form, name, value),
            "ipv4_form" => put(&mut self.ipv4_form, name, value),
            "ipv6_form" => put(&mut self.ipv6_form, name, value),
            "time_form" => put(&mut self.time_form, name, value),
            "hll_form" => put(&mut self.hll_form, name, value),
            "doris_type_metadata" => put(&mut self.doris_type_metadata, name, value),
            "flight_session_pool" => put(&mut self.flight_session_pool, name, value),
            "changelog" => put(&mut self.changelog, name, value),
            "changelog_names" => put(&mut self.changelog_names, name, value),
            "changelog_border" => put(&mut self.changelog_border, name, value),
            "compress_csv_only" => put(&mut self.compress_csv_only, name, value),
            "in_compares_texts" => put(&mut self.in_compares_texts, name, value),
            "time_columns" => put(&mut self.time_columns, name, value),
            "unknown_tablets_ignored" => put(&mut self.unknown_tablets_ignored, name, value),
            "enable_parallel_result_sink" => put(&mut self.parallel_result_sink, name, value),
            other => self
                .load
                .set(other, value)
                .or_else(|| self.change.set(other, value))
                .unwrap_or_else(|| Err(format!("unknown switch `{other}`"))),
        }
    }
}

/// Gives a switch its value; the error names the switch and what it takes.
pub(crate) fn put<T: FromStr>(slot: &mut T, name: &str, value: &str) -> Result<(), String>
where
    T::Err: std::fmt::Display,
{
    *slot = value
        .parse()
        .map_err(|error: T::Err| format!("switch {name}: {error}"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_is_known_and_the_default_is_first() {
        for name in PROFILES {
            assert_eq!(Switches::profile(name).unwrap().profile, name);
        }
        assert_eq!(Switches::profile(PROFILES[0]).unwrap(), Switches::default());
        assert!(Switches::profile("doris-9").unwrap_err().contains("doris-2.1"));
    }

    #[test]
    fn a_switch_is_set_by_name_and_a_wrong_value_names_the_choices() {
        let mut switches = Switches::default();
        switches.set("ipv4_form=utf8").unwrap();
        assert_eq!(switches.ipv4_form, Ipv4Form::Utf8);
        assert!(switches.set("ipv4_form=x").unwrap_err().contains("int32"));
        assert!(switches.set("nope=1").unwrap_err().contains("nope"));
    }
}

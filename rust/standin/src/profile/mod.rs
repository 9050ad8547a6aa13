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

/// Declares switches: each with its type, its value in the newest server, and the name that sets it.
macro_rules! switches {
    ($(#[$doc:meta])* $struct:ident { $($(#[$fdoc:meta])* $field:ident: $type:ty = $default:expr $(, $name:literal)?;)+ }) => {
        $(#[$doc])*
        pub struct $struct { $($(#[$fdoc])* pub $field: $type),+ }

        impl Default for $struct {
            fn default() -> Self {
                Self { $($field: $default),+ }
            }
        }

        impl $struct {
            /// Sets one switch by its name; `None` when it is none of these.
            pub(crate) fn set_one(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
                match name {
                    $($($name => Some(put(&mut self.$field, name, value)),)?)+
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use switches;

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

switches! {
    /// Every switch. Fields are read where the behaviour lives; the profile's name is used by messages only.
    #[derive(Debug, Clone, PartialEq, Eq)]
    Switches {
        /// Name of the profile the switches started from.
        profile: String = "doris-5.0".into();
        /// Text of `@@version_comment` and the `Version` columns, such as `doris-5.0.0`.
        version: String = "doris-5.0.0".into(), "version";
        /// See [`DatetimeForm`].
        datetime_form: DatetimeForm = DatetimeForm::Zoneless, "datetime_form";
        /// doris#68392: the Arrow field names microseconds while the values are in the unit of the scale.
        datetime_unit_fault: bool = false, "datetime_unit_fault";
        /// See [`DateForm`].
        date_form: DateForm = DateForm::Date32, "date_form";
        /// See [`LargeintForm`].
        largeint_form: LargeintForm = LargeintForm::Utf8, "largeint_form";
        /// See [`Ipv4Form`].
        ipv4_form: Ipv4Form = Ipv4Form::Int32, "ipv4_form";
        /// See [`Ipv6Form`].
        ipv6_form: Ipv6Form = Ipv6Form::Utf8, "ipv6_form";
        /// See [`TimeForm`].
        time_form: TimeForm = TimeForm::Micros, "time_form";
        /// See [`HllForm`].
        hll_form: HllForm = HllForm::Binary, "hll_form";
        /// Flight fields carry the metadata key `doris_type`.
        doris_type_metadata: bool = true, "doris_type_metadata";
        /// Flight tokens are pooled sessions that `CloseSession` ends (else a cache of tokens).
        flight_session_pool: bool = true, "flight_session_pool";
        /// The changelog exists (`@incr`, TSO).
        changelog: bool = true, "changelog";
        /// See [`NameSet`].
        changelog_names: NameSet = NameSet::Both, "changelog_names";
        /// See [`Border`].
        changelog_border: Border = Border::StartInclusive, "changelog_border";
        /// `compress_type` of a load works for CSV only.
        compress_csv_only: bool = false, "compress_csv_only";
        /// A text `IN` a list of integers compares texts (else numbers).
        in_compares_texts: bool = false, "in_compares_texts";
        /// A column of a table may be TIME; else it comes out of expressions only.
        time_columns: bool = true, "time_columns";
        /// `TABLET(id)` reads nothing for an id that the table does not have (else an error).
        unknown_tablets_ignored: bool = false, "unknown_tablets_ignored";
        /// Global value of the session variable `enable_parallel_result_sink`: results lie on several endpoints.
        parallel_result_sink: bool = false, "enable_parallel_result_sink";
        /// Switches of changelog queries and the TSO.
        change: ChangelogSwitches = ChangelogSwitches::default();
        /// Switches of loads and transactions.
        load: LoadSwitches = LoadSwitches::default();
    }
}

/// Names of the profiles, the default first.
pub const PROFILES: [&str; 5] = [
    "doris-5.0",
    "doris-4.1",
    "doris-2.1",
    "doris-5.0-binlog",
    "cloud-5.0",
];

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
                // The pool came after the new names: a client of that time opens a session for each window and closes
                // none.
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
        let name = name.trim();
        self.set_one(name, value)
            .or_else(|| self.load.set_one(name, value))
            .or_else(|| self.change.set_one(name, value))
            .or_else(|| self.change.records.set_one(name, value))
            .unwrap_or_else(|| Err(format!("unknown switch `{name}`")))
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

//! The SQL of changelog queries.

use doris_arrow::schema::{DorisColumn, Found};
use doris_arrow::types::DorisType;

use super::spec::{Slice, WindowSpec};
use crate::config::table::Table;
use crate::read::config::IncrementType;
use crate::read::query::{key_hash, select_list};
use crate::sql::{literal, quote, table};

/// The hidden columns of `@incr`, as the table's server names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hidden {
    pub(crate) tso: String,
    pub(crate) lsn: String,
    pub(crate) op: String,
}

impl Hidden {
    /// The names that servers are known to use, in the order in which they are tried.
    pub(crate) fn families() -> [Self; 2] {
        ["BINLOG", "CHANGELOG"].map(|family| Self {
            tso: format!("__DORIS_{family}_TSO__"),
            lsn: format!("__DORIS_{family}_LSN__"),
            op: format!("__DORIS_{family}_OP__"),
        })
    }

    pub(crate) fn names(&self) -> [&str; 3] {
        [&self.tso, &self.lsn, &self.op]
    }

    fn quoted(&self) -> [String; 3] {
        self.names().map(quote)
    }
}

/// What a window's query selects, and in which order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selected<'a> {
    pub(crate) hidden: &'a Hidden,
    /// The wanted columns.
    pub(crate) wanted: &'a [Found],
    /// Further ones that are not delivered.
    pub(crate) extra: &'a [Found],
    /// Rows with the same TSO, LSN and operation are ordered by these.
    pub(crate) order: &'a [DorisColumn],
    /// The key columns by which a hash slice cuts; empty when there are none.
    pub(crate) keys: &'a [String],
    /// ` WHERE …`, or empty.
    pub(crate) filter: &'a str,
}

/// ``name@incr(…)``
fn changes(name: &Table, start: &str, end: &str, r#type: IncrementType) -> String {
    format!(
        "{}@incr('startTimestamp' = {}, 'endTimestamp' = {}, 'incrementType' = '{}')",
        table(name),
        literal(start),
        literal(end),
        r#type.sql()
    )
}

/// The query of a window; `partition` is the name of its partition.
pub(crate) fn window(
    name: &Table,
    spec: &WindowSpec,
    r#type: IncrementType,
    selected: &Selected<'_>,
    partition: Option<&str>,
) -> String {
    let hidden = selected.hidden.quoted();
    let mut list = Vec::new();
    if !selected.wanted.is_empty() {
        list.push(select_list(selected.wanted));
    }
    list.extend(hidden.iter().cloned());
    if !selected.extra.is_empty() {
        list.push(select_list(selected.extra));
    }
    let mut sql = format!(
        "SELECT {} FROM {}",
        list.join(", "),
        changes(name, &spec.start_text, &spec.end_text, r#type)
    );
    if let Some(partition) = partition {
        sql.push_str(&format!(" PARTITION({})", quote(partition)));
    }
    sql.push_str(selected.filter);
    if let Slice::Hash { index, count } = spec.slice
        && count > 1
    {
        sql.push_str(if selected.filter.is_empty() {
            " WHERE "
        } else {
            " AND "
        });
        let keys: Vec<String> = selected.keys.iter().map(|key| quote(key)).collect();
        sql.push_str(&format!("pmod({}, {count}) = {index}", key_hash(&keys)));
    }
    let mut order = hidden.to_vec();
    order.extend(selected.order.iter().map(sortable));
    sql.push_str(&format!(" ORDER BY {}", order.join(", ")));
    sql
}

/// A query that shows whether the server knows these hidden columns, and no rows.
pub(crate) fn probe(name: &Table, spec: &WindowSpec, r#type: IncrementType, hidden: &Hidden) -> String {
    format!(
        "SELECT {} FROM {} LIMIT 0",
        hidden.quoted().join(", "),
        changes(name, &spec.start_text, &spec.end_text, r#type)
    )
}

/// A query that is answered when all that was committed before the end of its second is visible, and that a server
/// which ignores `@incr` refuses.
pub(crate) fn fence(name: &Table, start: &str, end: &str, hidden: &Hidden) -> String {
    format!(
        "SELECT {} FROM {} LIMIT 1",
        hidden.quoted().join(", "),
        changes(name, start, end, IncrementType::AppendOnly)
    )
}

/// The partitions of a table with their ids, temporary ones left out.
pub(crate) fn partitions(name: &Table) -> String {
    format!("SHOW PARTITIONS FROM {}", table(name))
}

/// An expression that rows can be ordered by so that only equal values are equal.
fn sortable(column: &DorisColumn) -> String {
    let name = quote(&column.name);
    match column.r#type {
        // Doris neither compares these nor casts them.
        DorisType::Bitmap => format!("md5(bitmap_to_base64({name}))"),
        DorisType::Hll => format!("md5(hll_to_base64({name}))"),
        DorisType::QuantileState => format!("md5(quantile_state_to_base64({name}))"),
        DorisType::Json
        | DorisType::Variant
        | DorisType::Array(_)
        | DorisType::Map(_, _)
        | DorisType::Struct(_)
        | DorisType::AggState
        | DorisType::Varbinary(_)
        | DorisType::Other(_) => format!("md5(cast({name} as string))"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::window::spec::tests::spec;

    fn name() -> Table {
        Table {
            catalog: None,
            database: "db".to_owned(),
            name: "t".to_owned(),
        }
    }

    fn found(path: &[&str], doris: &str, delivered: &str) -> Found {
        Found {
            path: path.iter().map(|p| (*p).to_owned()).collect(),
            r#type: DorisType::parse(doris).unwrap(),
            delivered: DorisType::parse(delivered).unwrap(),
        }
    }

    fn column(name: &str, doris: &str) -> DorisColumn {
        DorisColumn {
            name: name.to_owned(),
            r#type: DorisType::parse(doris).unwrap(),
            nullable: true,
            key: false,
        }
    }

    const INCR: &str = "`db`.`t`@incr('startTimestamp' = '2026-10-09 10:00:00', \
        'endTimestamp' = '2026-10-09 10:00:10', 'incrementType' = 'DETAIL')";
    const HIDDEN: &str = "`__DORIS_BINLOG_TSO__`, `__DORIS_BINLOG_LSN__`, `__DORIS_BINLOG_OP__`";

    #[test]
    fn a_window_of_the_whole_table() {
        let [hidden, newer] = Hidden::families();
        assert_eq!(
            newer.names(),
            [
                "__DORIS_CHANGELOG_TSO__",
                "__DORIS_CHANGELOG_LSN__",
                "__DORIS_CHANGELOG_OP__"
            ]
        );
        let wanted = [
            found(&["name"], "string", "string"),
            found(&["d"], "date", "string"),
        ];
        let extra = [found(&["id"], "int", "int")];
        let selected = Selected {
            hidden: &hidden,
            wanted: &wanted,
            extra: &extra,
            order: &[
                column("id", "int"),
                column("j", "json"),
                column("a`", "array<int>"),
                column("b", "bitmap"),
                column("h", "hll"),
                column("q", "quantile_state"),
            ],
            keys: &["id".to_owned()],
            filter: " WHERE (`id` > 1)",
        };
        let sql = window(
            &name(),
            &spec(Slice::Whole),
            IncrementType::Detail,
            &selected,
            None,
        );
        assert_eq!(
            sql,
            format!(
                "SELECT `name`, CAST(`d` AS STRING) AS `d`, {HIDDEN}, `id` FROM {INCR} WHERE (`id` > 1) \
                 ORDER BY {HIDDEN}, `id`, md5(cast(`j` as string)), md5(cast(`a``` as string)), \
                 md5(bitmap_to_base64(`b`)), md5(hll_to_base64(`h`)), md5(quantile_state_to_base64(`q`))"
            )
        );
        let bare = Selected {
            wanted: &[],
            extra: &[],
            order: &[],
            filter: "",
            ..selected
        };
        assert_eq!(
            window(
                &name(),
                &spec(Slice::Hash { index: 0, count: 1 }),
                IncrementType::Detail,
                &bare,
                None
            ),
            format!("SELECT {HIDDEN} FROM {INCR} ORDER BY {HIDDEN}")
        );
    }

    #[test]
    fn slices_are_cut_by_keys_or_partitions() {
        let [hidden, _] = Hidden::families();
        let wanted = [found(&["id"], "int", "int")];
        let mut selected = Selected {
            hidden: &hidden,
            wanted: &wanted,
            extra: &[],
            order: &[column("id", "int")],
            keys: &["id".to_owned(), "b`".to_owned()],
            filter: "",
        };
        let third = spec(Slice::Hash { index: 2, count: 3 });
        let hash = "pmod(ifnull(murmur_hash3_32(concat_ws('\u{1}', ifnull(cast(`id` as string), ''), \
                    ifnull(cast(`b``` as string), ''))), 0), 3) = 2";
        assert_eq!(
            window(&name(), &third, IncrementType::Detail, &selected, None),
            format!("SELECT `id`, {HIDDEN} FROM {INCR} WHERE {hash} ORDER BY {HIDDEN}, `id`")
        );
        selected.filter = " WHERE (`id` > 1)";
        assert_eq!(
            window(&name(), &third, IncrementType::Detail, &selected, None),
            format!("SELECT `id`, {HIDDEN} FROM {INCR} WHERE (`id` > 1) AND {hash} ORDER BY {HIDDEN}, `id`")
        );
        let partition = spec(Slice::Partition { id: 7 });
        assert_eq!(
            window(&name(), &partition, IncrementType::Detail, &selected, Some("p 1")),
            format!(
                "SELECT `id`, {HIDDEN} FROM {INCR} PARTITION(`p 1`) WHERE (`id` > 1) ORDER BY {HIDDEN}, `id`"
            )
        );
    }

    #[test]
    fn small_queries() {
        let [hidden, _] = Hidden::families();
        assert_eq!(
            probe(&name(), &spec(Slice::Whole), IncrementType::Detail, &hidden),
            format!("SELECT {HIDDEN} FROM {INCR} LIMIT 0")
        );
        assert_eq!(
            fence(&name(), "2026-10-09 09:59:59", "2026-10-09 10:00:00", &hidden),
            format!(
                "SELECT {HIDDEN} FROM `db`.`t`@incr('startTimestamp' = '2026-10-09 09:59:59', \
                 'endTimestamp' = '2026-10-09 10:00:00', 'incrementType' = 'APPEND_ONLY') LIMIT 1"
            )
        );
        assert_eq!(partitions(&name()), "SHOW PARTITIONS FROM `db`.`t`");
    }
}

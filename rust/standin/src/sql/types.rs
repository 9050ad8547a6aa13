//! Types as Doris writes them in definitions and casts.

use arrow_schema::Field;
use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use super::lexer;
use crate::error::SqlError;
use crate::values::types::{DorisType, StructField, TYPE_KEY};

/// Reads a type from a text of its own, such as `DECIMAL(10,2)` or `ARRAY<MAP<STRING,INT>>`.
pub fn parse_type(text: &str) -> Result<DorisType, SqlError> {
    let statements = lexer::statements(text)?;
    let tokens = match statements.as_slice() {
        [one] => &one.tokens,
        _ => return Err(SqlError::syntax(format!("'{text}' is no type"))),
    };
    let mut cursor = Cursor::new(tokens);
    let doris_type = read_type(&mut cursor)?;
    cursor.expect_end()?;
    Ok(doris_type)
}

/// The Doris type of a field of an expression: the one its metadata names, else that of its Arrow type.
pub(crate) fn type_of_field(field: &Field) -> DorisType {
    field
        .metadata()
        .get(TYPE_KEY)
        .and_then(|text| parse_type(text).ok())
        .filter(|t| &t.compute_type() == field.data_type() || &t.arrow_type() == field.data_type())
        .unwrap_or_else(|| DorisType::of_arrow(field.data_type()))
}

/// Reads the type that starts at the cursor.
pub fn read_type(cursor: &mut Cursor<'_>) -> Result<DorisType, SqlError> {
    let mut reader = Reader {
        cursor,
        open_shift: false,
    };
    let doris_type = reader.read()?;
    if reader.open_shift {
        return Err(reader.cursor.unexpected("one `>` less"));
    }
    Ok(doris_type)
}

struct Reader<'c, 'a> {
    cursor: &'c mut Cursor<'a>,
    /// One half of a `>>` was used: the next `>` is already eaten.
    open_shift: bool,
}

impl Reader<'_, '_> {
    fn read(&mut self) -> Result<DorisType, SqlError> {
        let name = self.cursor.ident()?;
        let upper = name.to_ascii_uppercase();
        Ok(match upper.as_str() {
            "NULL_TYPE" => DorisType::Null,
            "BOOLEAN" | "BOOL" => DorisType::Boolean,
            "TINYINT" => self.width(DorisType::TinyInt)?,
            "SMALLINT" => self.width(DorisType::SmallInt)?,
            "INT" | "INTEGER" => self.width(DorisType::Int)?,
            "BIGINT" | "SIGNED" => {
                self.cursor.eat("INTEGER");
                self.width(DorisType::BigInt)?
            }
            "LARGEINT" | "UNSIGNED" => {
                self.cursor.eat("INTEGER");
                self.width(DorisType::LargeInt)?
            }
            "FLOAT" => DorisType::Float,
            "DOUBLE" => {
                self.cursor.eat("PRECISION");
                DorisType::Double
            }
            "DECIMAL" | "DECIMALV3" | "NUMERIC" => {
                let (precision, scale) = self.precision(38, 9, 76)?;
                DorisType::Decimal(precision, scale)
            }
            "DECIMALV2" => {
                let (precision, scale) = self.precision(27, 9, 27)?;
                DorisType::DecimalV2(precision, scale)
            }
            "DATE" | "DATEV2" => DorisType::Date,
            "DATEV1" => DorisType::DateV1,
            "DATETIME" | "DATETIMEV2" => DorisType::DateTime(self.scale()?),
            "TIMESTAMP" => DorisType::DateTime(self.scale()?),
            "DATETIMEV1" => DorisType::DateTimeV1,
            "TIMESTAMPTZ" => DorisType::TimestampTz(self.scale()?),
            "TIME" | "TIMEV2" => DorisType::Time(self.scale()?),
            "CHAR" | "CHARACTER" => DorisType::Char(self.length(1, 255)?),
            "VARCHAR" => DorisType::Varchar(self.length(65533, 65533)?),
            "STRING" | "TEXT" => {
                if self.cursor.peek() == Some(&Token::LParen) {
                    self.cursor.skip_parens()?;
                }
                DorisType::String
            }
            "JSON" | "JSONB" => DorisType::Json,
            "VARIANT" => self.variant()?,
            "IPV4" => DorisType::Ipv4,
            "IPV6" => DorisType::Ipv6,
            "VARBINARY" | "BINARY" => DorisType::Varbinary(self.length(65533, 1 << 31)?),
            "BITMAP" => DorisType::Bitmap,
            "HLL" => DorisType::Hll,
            "QUANTILE_STATE" => DorisType::QuantileState,
            "ARRAY" => {
                self.open()?;
                let item = self.read()?;
                self.close()?;
                DorisType::Array(Box::new(item))
            }
            "MAP" => {
                self.open()?;
                let key = self.read()?;
                self.cursor.expect_token(&Token::Comma)?;
                let value = self.read()?;
                self.close()?;
                DorisType::Map(Box::new(key), Box::new(value))
            }
            "STRUCT" => self.structure()?,
            _ => return Err(SqlError::plain(format!("unknown type `{name}`"))),
        })
    }

    fn structure(&mut self) -> Result<DorisType, SqlError> {
        self.open()?;
        let mut fields: Vec<StructField> = Vec::new();
        loop {
            let name = self.cursor.ident()?;
            self.cursor.expect_token(&Token::Colon)?;
            let doris_type = self.read()?;
            if self.cursor.eat("COMMENT") {
                self.cursor.string()?;
            }
            if fields.iter().any(|f| f.name.eq_ignore_ascii_case(&name)) {
                return Err(SqlError::plain(format!("Duplicate field name {name} in struct")));
            }
            fields.push(StructField { name, doris_type });
            if self.open_shift || !self.cursor.eat_token(&Token::Comma) {
                break;
            }
        }
        self.close()?;
        Ok(DorisType::Struct(fields))
    }

    /// `VARIANT<…>` declares paths and properties: they do not change what is stored.
    fn variant(&mut self) -> Result<DorisType, SqlError> {
        if self.cursor.eat_token(&Token::Lt) {
            let mut depth = 1;
            while depth > 0 {
                match self.cursor.take() {
                    Some(Token::Lt) => depth += 1,
                    Some(Token::Gt) => depth -= 1,
                    Some(Token::ShiftRight) => depth -= 2,
                    Some(_) => {}
                    None => return Err(self.cursor.unexpected(">")),
                }
            }
            self.open_shift = depth < 0;
        }
        Ok(DorisType::Variant)
    }

    fn open(&mut self) -> Result<(), SqlError> {
        self.cursor.expect_token(&Token::Lt)
    }

    fn close(&mut self) -> Result<(), SqlError> {
        if std::mem::take(&mut self.open_shift) {
            return Ok(());
        }
        if self.cursor.eat_token(&Token::ShiftRight) {
            self.open_shift = true;
            return Ok(());
        }
        self.cursor.expect_token(&Token::Gt)
    }

    /// `INT(11)`: the display width means nothing.
    fn width(&mut self, doris_type: DorisType) -> Result<DorisType, SqlError> {
        if self.cursor.peek() == Some(&Token::LParen) {
            self.cursor.skip_parens()?;
        }
        Ok(doris_type)
    }

    fn scale(&mut self) -> Result<u8, SqlError> {
        if !self.cursor.eat_token(&Token::LParen) {
            return Ok(0);
        }
        let scale: u8 = self.cursor.number()?;
        self.cursor.expect_token(&Token::RParen)?;
        if scale > 6 {
            return Err(SqlError::plain("Scale of Datetime/Time must between 0 and 6."));
        }
        Ok(scale)
    }

    fn precision(&mut self, precision: u8, scale: u8, max: u8) -> Result<(u8, u8), SqlError> {
        if !self.cursor.eat_token(&Token::LParen) {
            return Ok((precision, scale));
        }
        let precision: u8 = self.cursor.number()?;
        let scale = if self.cursor.eat_token(&Token::Comma) {
            self.cursor.number()?
        } else {
            0
        };
        self.cursor.expect_token(&Token::RParen)?;
        if precision == 0 || precision > max {
            return Err(SqlError::plain(format!(
                "Precision of decimal must between 1 and {max}. Precision was set to: {precision}."
            )));
        }
        if scale > precision {
            return Err(SqlError::plain(format!(
                "Scale of decimal must be less than precision. Scale is {scale} and precision is {precision}"
            )));
        }
        Ok((precision, scale))
    }

    fn length(&mut self, default: u32, max: u32) -> Result<u32, SqlError> {
        if !self.cursor.eat_token(&Token::LParen) {
            return Ok(default);
        }
        let length = if self.cursor.eat_token(&Token::Mul) {
            max
        } else {
            self.cursor.number()?
        };
        self.cursor.expect_token(&Token::RParen)?;
        if length == 0 || length > max {
            return Err(SqlError::plain(format!(
                "length of the type must be between 1 and {max}, but is {length}"
            )));
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for text in [
            "boolean",
            "largeint",
            "decimal(76,10)",
            "datetime(3)",
            "timestamptz(6)",
            "varchar(10)",
            "array<map<int,struct<a:decimal(10,2),b:array<varchar(10)>>>>",
            "map<text,array<array<int>>>",
            "struct<a:int,b:struct<c:datetime(6),d:array<array<text>>>>",
            "variant",
            "varbinary(16)",
            "quantile_state",
        ] {
            assert_eq!(parse_type(text).unwrap().sql_name(), text);
        }
    }

    #[test]
    fn other_spellings_mean_the_same() {
        assert_eq!(parse_type("DATETIMEV2(3)").unwrap(), DorisType::DateTime(3));
        assert_eq!(parse_type("DECIMALV3").unwrap(), DorisType::Decimal(38, 9));
        assert_eq!(parse_type("INT(11)").unwrap(), DorisType::Int);
        assert_eq!(
            parse_type("ARRAY<ARRAY<STRING>>").unwrap().sql_name(),
            "array<array<text>>"
        );
    }

    #[test]
    fn wrong_types_are_named() {
        assert!(parse_type("FOO").unwrap_err().message.contains("FOO"));
        assert!(parse_type("DATETIME(7)").is_err());
        assert!(parse_type("DECIMAL(77,1)").is_err());
        assert!(parse_type("ARRAY<INT>>").is_err());
    }
}

//! What does a JSON schema ask for? The subset of [`Constraint::JsonSchema`](crate::Constraint::JsonSchema) that a local model keeps, made ready to write after.
//!
//! A keyword beyond the subset is an error, not passed over: what is promised is what is kept.

use serde_json::{Map, Value};
use thiserror::Error;

use super::number::Range;

/// How deeply values may nest.
const DEPTH: usize = 32;

/// Keywords that describe, and restrict nothing.
const NOTES: [&str; 7] = [
    "$schema",
    "$id",
    "title",
    "description",
    "default",
    "examples",
    "$comment",
];

/// Why nothing can be written after a schema.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum SchemaError {
    /// A keyword beyond the subset.
    #[error(
        "the schema uses \"{0}\"; supported are type, properties, required, additionalProperties, enum, items, minItems, maxItems, minimum, maximum, maxLength"
    )]
    Keyword(String),
    /// A keyword's value is not of the right form.
    #[error("\"{keyword}\" of the schema cannot be {value}")]
    Form {
        /// The keyword.
        keyword: &'static str,
        /// Its value.
        value: String,
    },
    /// It nests too deeply.
    #[error("the schema nests more than 32 levels deep")]
    Deep,
}

/// One kind of value, by its place in [`Schema`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    /// A string of at most so many characters.
    Text(Option<usize>),
    /// A number.
    Number(Range),
    /// One of these texts of JSON.
    Choice(Vec<Vec<u8>>),
    /// An object: its keys, each with colon and kind of value; the first `required` must be there.
    Object {
        keys: Vec<(Vec<u8>, usize)>,
        required: usize,
    },
    /// An array.
    Array {
        item: usize,
        least: usize,
        most: usize,
    },
    /// Any of these kinds, which begin differently.
    Any(Vec<usize>),
}

/// A schema that was read. The last node is the whole.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Schema {
    pub(crate) nodes: Vec<Node>,
    /// The shortest text of each node.
    pub(crate) shortest: Vec<Vec<u8>>,
}

impl Schema {
    /// Reads a schema.
    pub(crate) fn read(schema: &Value) -> Result<Self, SchemaError> {
        let mut read = Self {
            nodes: Vec::new(),
            shortest: Vec::new(),
        };
        read.node(schema, DEPTH)?;
        Ok(read)
    }

    /// The node of the whole.
    pub(crate) const fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The range of a number.
    pub(crate) fn range(&self, node: usize) -> Option<&Range> {
        if let Node::Number(range) = &self.nodes[node] {
            Some(range)
        } else {
            None
        }
    }

    /// The texts of a choice.
    pub(crate) fn texts(&self, node: usize) -> &[Vec<u8>] {
        if let Node::Choice(texts) = &self.nodes[node] {
            texts
        } else {
            &[]
        }
    }

    fn push(&mut self, node: Node) -> usize {
        let shortest = self.shortest_of(&node);
        self.nodes.push(node);
        self.shortest.push(shortest);
        self.nodes.len() - 1
    }

    fn shortest_of(&self, node: &Node) -> Vec<u8> {
        match node {
            Node::Text(_) => b"\"\"".to_vec(),
            Node::Number(range) => super::number::Number::default().closing(range).into_bytes(),
            Node::Choice(texts) => texts
                .iter()
                .min_by_key(|t| t.len())
                .cloned()
                .unwrap_or_default(),
            Node::Object { keys, required } => {
                let members = keys.iter().take(*required);
                let members: Vec<Vec<u8>> = members
                    .map(|(key, value)| [key.as_slice(), &self.shortest[*value]].concat())
                    .collect();
                [b"{", members.join(&b","[..]).as_slice(), b"}"].concat()
            }
            Node::Array { item, least, .. } => {
                let items = vec![self.shortest[*item].as_slice(); *least];
                [b"[", items.join(&b","[..]).as_slice(), b"]"].concat()
            }
            Node::Any(nodes) => {
                let texts = nodes.iter().map(|node| &self.shortest[*node]);
                texts.min_by_key(|t| t.len()).cloned().unwrap_or_default()
            }
        }
    }

    fn node(&mut self, schema: &Value, depth: usize) -> Result<usize, SchemaError> {
        if depth == 0 {
            return Err(SchemaError::Deep);
        }
        let Value::Object(fields) = schema else {
            return Err(form("schema", schema));
        };
        let types = types(fields)?;
        check_keywords(fields, &types)?;
        if let Some(values) = fields.get("enum") {
            return self.choice(values, &types);
        }
        let mut kinds = Vec::new();
        for name in &types {
            kinds.push(self.kind(name, fields, depth)?);
        }
        match kinds.as_slice() {
            [] => Err(SchemaError::Form {
                keyword: "type",
                value: "missing where there is no enum".to_owned(),
            }),
            [one] => Ok(*one),
            _ => Ok(self.push(Node::Any(kinds))),
        }
    }

    fn choice(&mut self, values: &Value, types: &[&str]) -> Result<usize, SchemaError> {
        let listed = values.as_array().ok_or_else(|| form("enum", values))?;
        let fits = |value: &&Value| types.is_empty() || types.iter().any(|t| is_type(value, t));
        let mut texts: Vec<Vec<u8>> = listed
            .iter()
            .filter(fits)
            .map(|value| value.to_string().into_bytes())
            .collect();
        texts.sort();
        texts.dedup();
        if texts.is_empty() {
            return Err(form("enum", values));
        }
        Ok(self.push(Node::Choice(texts)))
    }

    fn kind(
        &mut self,
        name: &str,
        fields: &Map<String, Value>,
        depth: usize,
    ) -> Result<usize, SchemaError> {
        let node = match name {
            "string" => Node::Text(count(fields, "maxLength")?),
            "integer" | "number" => {
                let (low, high) = (number(fields, "minimum")?, number(fields, "maximum")?);
                let range = Range::new(name == "integer", low, high);
                Node::Number(range.ok_or_else(|| SchemaError::Form {
                    keyword: "minimum",
                    value: format!("{low:?} with maximum {high:?} and type {name}"),
                })?)
            }
            "boolean" => Node::Choice(vec![b"false".to_vec(), b"true".to_vec()]),
            "null" => Node::Choice(vec![b"null".to_vec()]),
            "object" => self.object(fields, depth)?,
            _ => self.array(fields, depth)?,
        };
        Ok(self.push(node))
    }

    fn object(&mut self, fields: &Map<String, Value>, depth: usize) -> Result<Node, SchemaError> {
        let none = Map::new();
        let properties = match fields.get("properties") {
            None => &none,
            Some(Value::Object(properties)) => properties,
            Some(other) => return Err(form("properties", other)),
        };
        let mut names: Vec<&str> = Vec::new();
        match fields.get("required") {
            None => {}
            Some(Value::Array(required)) => {
                for name in required {
                    let known = name.as_str().filter(|name| properties.contains_key(*name));
                    let name = known.ok_or_else(|| form("required", name))?;
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
            Some(other) => return Err(form("required", other)),
        }
        let required = names.len();
        for name in properties.keys() {
            if !names[..required].contains(&name.as_str()) {
                names.push(name);
            }
        }
        let mut keys = Vec::new();
        for name in names {
            let value = self.node(&properties[name], depth - 1)?;
            keys.push((format!("{}:", Value::from(name)).into_bytes(), value));
        }
        Ok(Node::Object { keys, required })
    }

    fn array(&mut self, fields: &Map<String, Value>, depth: usize) -> Result<Node, SchemaError> {
        let least = count(fields, "minItems")?.unwrap_or(0);
        let most = count(fields, "maxItems")?.unwrap_or(usize::MAX);
        let items = fields.get("items").ok_or_else(|| SchemaError::Form {
            keyword: "items",
            value: "missing in an array".to_owned(),
        })?;
        let item = self.node(items, depth - 1)?;
        if least > most || least.saturating_mul(self.shortest[item].len()) > 1 << 20 {
            return Err(form("minItems", &Value::from(least)));
        }
        Ok(Node::Array { item, least, most })
    }
}

fn form(keyword: &'static str, value: &Value) -> SchemaError {
    SchemaError::Form {
        keyword,
        value: value.to_string().chars().take(80).collect(),
    }
}

/// The types of a schema, each once; an integer is a number, too.
fn types(fields: &Map<String, Value>) -> Result<Vec<&str>, SchemaError> {
    let named = match fields.get("type") {
        None => return Ok(Vec::new()),
        Some(Value::Array(types)) => types.iter().collect(),
        Some(one) => vec![one],
    };
    let mut types = Vec::new();
    for value in named {
        match value.as_str() {
            Some(
                name @ ("string" | "integer" | "number" | "boolean" | "null" | "object" | "array"),
            ) => {
                if !types.contains(&name) {
                    types.push(name);
                }
            }
            _ => return Err(form("type", value)),
        }
    }
    if types.contains(&"number") {
        types.retain(|name| *name != "integer");
    }
    Ok(types)
}

/// Every keyword must be one that is kept: of the subset, and with an `enum` none that would restrict it further.
fn check_keywords(fields: &Map<String, Value>, types: &[&str]) -> Result<(), SchemaError> {
    for keyword in fields.keys() {
        let known = match keyword.as_str() {
            "type" | "enum" => true,
            "properties"
            | "required"
            | "additionalProperties"
            | "items"
            | "minItems"
            | "maxItems"
            | "minimum"
            | "maximum"
            | "maxLength" => !fields.contains_key("enum"),
            other => NOTES.contains(&other),
        };
        if !known {
            return Err(SchemaError::Keyword(keyword.clone()));
        }
    }
    if types.is_empty() && !fields.contains_key("enum") {
        return Err(SchemaError::Form {
            keyword: "type",
            value: "missing where there is no enum".to_owned(),
        });
    }
    Ok(())
}

fn is_type(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "object" => value.is_object(),
        _ => value.is_array(),
    }
}

fn count(fields: &Map<String, Value>, keyword: &'static str) -> Result<Option<usize>, SchemaError> {
    let Some(value) = fields.get(keyword) else {
        return Ok(None);
    };
    let count = value.as_u64().and_then(|n| usize::try_from(n).ok());
    count.map(Some).ok_or_else(|| form(keyword, value))
}

fn number(fields: &Map<String, Value>, keyword: &'static str) -> Result<Option<f64>, SchemaError> {
    let Some(value) = fields.get(keyword) else {
        return Ok(None);
    };
    value.as_f64().map(Some).ok_or_else(|| form(keyword, value))
}

//! Which tables does a store's database have?

use std::sync::Arc;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, TableDefinition, WriteTransaction};

use crate::block_set::{BlockDefinition, BlockTable};
use crate::error::StoreError;
use crate::order::Order;

/// The format that this version writes and reads.
pub(crate) const FORMAT: u64 = 1;

pub(crate) const META: TableDefinition<'static, &str, u64> = TableDefinition::new("meta");
/// First id of a block of terms, the terms.
pub(crate) const TERMS: TableDefinition<'static, u32, &[u8]> = TableDefinition::new("terms");
/// Hash of a term's bytes (two numbers), id, 0.
pub(crate) const TERM_HASHES: BlockDefinition = BlockDefinition::new("term_hashes");
/// Hash of a normalised label (three numbers, the last bit says "literal"), id of the term it was read from.
pub(crate) const LABELS: BlockDefinition = BlockDefinition::new("labels");
/// Hash of a piece of a normalised label (two numbers), id of the term, signature of the label's letters.
pub(crate) const LABEL_PIECES: BlockDefinition = BlockDefinition::new("label_pieces");
/// The first twelve bytes of a normalised label (three numbers), id of the term.
pub(crate) const LABEL_STARTS: BlockDefinition = BlockDefinition::new("label_starts");
/// Predicate id, number of statements with it.
pub(crate) const PREDICATES: TableDefinition<'static, u32, u64> =
    TableDefinition::new("predicates");
/// Named graph id, number of statements in it.
pub(crate) const GRAPHS: TableDefinition<'static, u32, u64> = TableDefinition::new("graphs");
/// Label predicate id, its rank (0 is the best label).
pub(crate) const LABEL_PREDICATES: TableDefinition<'static, u32, u64> =
    TableDefinition::new("label_predicates");

pub(crate) fn index(order: Order) -> BlockDefinition {
    BlockDefinition::new(order.name())
}

/// Names of the numbers in [`META`].
pub(crate) mod meta {
    pub(crate) const FORMAT: &str = "format";
    pub(crate) const GENERATION: &str = "generation";
    pub(crate) const NEXT_TERM: &str = "next_term";
    pub(crate) const STATEMENTS: &str = "statements";
    pub(crate) const NAMED_STATEMENTS: &str = "named_statements";
    pub(crate) const BLANK_SCOPES: &str = "blank_scopes";
    pub(crate) const MAX_LABEL_TOKENS: &str = "max_label_tokens";
}

/// Creates every table, so that readers never meet a missing one.
pub(crate) fn create(transaction: &WriteTransaction) -> Result<(), StoreError> {
    transaction.open_table(META)?.insert(meta::FORMAT, FORMAT)?;
    transaction.open_table(TERMS)?;
    transaction.open_table(PREDICATES)?;
    transaction.open_table(GRAPHS)?;
    transaction.open_table(LABEL_PREDICATES)?;
    for definition in [TERM_HASHES, LABELS, LABEL_PIECES, LABEL_STARTS] {
        transaction.open_table(definition)?;
    }
    for order in Order::ALL {
        transaction.open_table(index(order))?;
    }
    Ok(())
}

/// The small numbers about a store.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Meta {
    pub(crate) generation: u64,
    pub(crate) next_term: u32,
    pub(crate) statements: u64,
    pub(crate) named_statements: u64,
    pub(crate) blank_scopes: u64,
    pub(crate) max_label_tokens: u64,
}

impl Meta {
    pub(crate) fn read(table: &impl ReadableTable<&'static str, u64>) -> Result<Self, StoreError> {
        let number = |name: &'static str| -> Result<u64, StoreError> {
            Ok(table.get(name)?.map_or(0, |value| value.value()))
        };
        Ok(Self {
            generation: number(meta::GENERATION)?,
            next_term: u32::try_from(number(meta::NEXT_TERM)?.max(1))
                .map_err(|_| StoreError::corrupt("the next term id is out of range"))?,
            statements: number(meta::STATEMENTS)?,
            named_statements: number(meta::NAMED_STATEMENTS)?,
            blank_scopes: number(meta::BLANK_SCOPES)?,
            max_label_tokens: number(meta::MAX_LABEL_TOKENS)?,
        })
    }

    pub(crate) fn write(&self, transaction: &WriteTransaction) -> Result<(), StoreError> {
        let mut table = transaction.open_table(META)?;
        for (name, value) in [
            (meta::GENERATION, self.generation),
            (meta::NEXT_TERM, u64::from(self.next_term)),
            (meta::STATEMENTS, self.statements),
            (meta::NAMED_STATEMENTS, self.named_statements),
            (meta::BLANK_SCOPES, self.blank_scopes),
            (meta::MAX_LABEL_TOKENS, self.max_label_tokens),
        ] {
            table.insert(name, value)?;
        }
        Ok(())
    }
}

/// Every table as one read transaction sees it.
pub(crate) struct Tables {
    pub(crate) terms: ReadOnlyTable<u32, &'static [u8]>,
    pub(crate) term_hashes: BlockTable,
    pub(crate) labels: BlockTable,
    pub(crate) label_pieces: BlockTable,
    pub(crate) label_starts: BlockTable,
    pub(crate) predicates: ReadOnlyTable<u32, u64>,
    pub(crate) graphs: ReadOnlyTable<u32, u64>,
    pub(crate) label_predicates: ReadOnlyTable<u32, u64>,
    spog: BlockTable,
    posg: BlockTable,
    opsg: BlockTable,
    gspo: BlockTable,
}

impl Tables {
    pub(crate) fn open(transaction: &ReadTransaction) -> Result<Self, StoreError> {
        let blocks = |definition| -> Result<BlockTable, StoreError> {
            Ok(Arc::new(transaction.open_table(definition)?))
        };
        Ok(Self {
            terms: transaction.open_table(TERMS)?,
            term_hashes: blocks(TERM_HASHES)?,
            labels: blocks(LABELS)?,
            label_pieces: blocks(LABEL_PIECES)?,
            label_starts: blocks(LABEL_STARTS)?,
            predicates: transaction.open_table(PREDICATES)?,
            graphs: transaction.open_table(GRAPHS)?,
            label_predicates: transaction.open_table(LABEL_PREDICATES)?,
            spog: blocks(index(Order::Spog))?,
            posg: blocks(index(Order::Posg))?,
            opsg: blocks(index(Order::Opsg))?,
            gspo: blocks(index(Order::Gspo))?,
        })
    }

    pub(crate) fn index(&self, order: Order) -> &BlockTable {
        match order {
            Order::Spog => &self.spog,
            Order::Posg => &self.posg,
            Order::Opsg => &self.opsg,
            Order::Gspo => &self.gspo,
        }
    }
}

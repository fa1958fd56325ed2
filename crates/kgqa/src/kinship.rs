//! Which family relation does a word name, and which way does a predicate's label run?
//!
//! Family terms are a closed class, and opposites stand in the same contexts: vectors keep "son" as near to "parents"
//! as to "children". So they are told apart by list, general English only.

/// A relation within a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kin {
    /// Sons and daughters.
    Child,
    /// Mothers and fathers.
    Parent,
    /// Husbands and wives.
    Spouse,
    /// Brothers and sisters.
    Sibling,
}

impl Kin {
    /// The relation seen from the other end.
    pub(crate) fn opposite(self) -> Self {
        match self {
            Self::Child => Self::Parent,
            Self::Parent => Self::Child,
            Self::Spouse => Self::Spouse,
            Self::Sibling => Self::Sibling,
        }
    }
}

/// The relation that a folded word names.
pub(crate) fn kin(word: &str) -> Option<Kin> {
    Some(match word {
        "child" | "children" | "kid" | "kids" | "son" | "sons" | "daughter" | "daughters"
        | "offspring" | "progeny" | "heir" | "heirs" | "heiress" | "firstborn" | "scion" => {
            Kin::Child
        }
        "parent" | "parents" | "father" | "fathers" | "mother" | "mothers" | "dad" | "dads"
        | "mom" | "moms" | "mum" | "mums" | "daddy" | "mommy" | "mummy" | "papa" | "mama" => {
            Kin::Parent
        }
        "spouse" | "spouses" | "husband" | "husbands" | "wife" | "wives" | "consort" | "hubby"
        | "darling" | "sweetheart" | "beloved" => Kin::Spouse,
        "sibling" | "siblings" | "brother" | "brothers" | "sister" | "sisters" => Kin::Sibling,
        _ => return None,
    })
}

/// The relation in which the objects of a predicate with this label stand to its subjects: "children" and "parent of"
/// lead to children.
pub(crate) fn kin_of_label(words: &[String]) -> Option<Kin> {
    let named = words.iter().find_map(|w| kin(w))?;
    Some(if words.last().is_some_and(|w| w == "of") {
        named.opposite()
    } else {
        named
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(text: &str) -> Option<Kin> {
        kin_of_label(&text.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn opposites_are_told_apart() {
        assert_eq!(kin("son"), Some(Kin::Child));
        assert_eq!(kin("father"), Some(Kin::Parent));
        assert_eq!(kin("director"), None);
    }

    #[test]
    fn a_label_with_of_runs_the_other_way() {
        assert_eq!(label("has child"), Some(Kin::Child));
        assert_eq!(label("parent of"), Some(Kin::Child));
        assert_eq!(label("child of"), Some(Kin::Parent));
        assert_eq!(label("spouse of"), Some(Kin::Spouse));
        assert_eq!(label("place of birth"), None);
    }
}

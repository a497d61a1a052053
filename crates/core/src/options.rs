//! Options as typed items. An item is the only place that knows the name, the meaning, the values and the default of an
//! option: it reads the option, and help, refusals, JSON, forms and signatures are made from what it says of itself.
//!
//! [`options!`](macro@crate::options) makes a struct of the values and the list of the items from one definition, so
//! what is listed and what is understood cannot differ:
//!
//! ```
//! use perfectplay_core::{OptionSet, Optional, Params, Setting, options};
//!
//! options! {
//!     struct Options {
//!         c: f64 = Setting::fraction("c", "how much to explore", 0.0..=1000.0, 1.0),
//!         depth: Option<u32> = Optional::whole("depth", "plies to look ahead", 1..=250, "no limit"),
//!         by_mean: bool = Setting::choice(
//!             "decision",
//!             "which move to play",
//!             &[("visits", "the most visited", false), ("mean", "the best mean", true)],
//!         ),
//!     }
//! }
//!
//! let given = Options::take(&mut Params::parse("decision=mean,depth=3")?)?;
//! assert_eq!((given.c, given.depth, given.by_mean), (1.0, Some(3), true));
//! assert_eq!(Options::docs()[2].sentence(), "which move to play: visits (the most visited) or mean (the best mean)");
//! # Ok::<(), perfectplay_core::TextError>(())
//! ```

use std::fmt::{Debug, Display};
use std::ops::RangeInclusive;

use crate::{Params, TextError, parse_count};

/// What an option says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionDoc {
    /// Its name, or its form if it is positional: `WIDTHxHEIGHT`.
    pub name: String,
    /// What it means.
    pub meaning: String,
    /// What holds if it is not given.
    pub default: String,
    /// Whether the default is told in words and is no value that could be given.
    pub optional: bool,
    /// What can be given.
    pub values: Values,
}

/// What can be given for an option.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// `on` or `off`.
    Switch,
    /// A whole number.
    Whole(RangeInclusive<u64>),
    /// A number.
    Fraction(RangeInclusive<f64>),
    /// One of these words: name and meaning. The meaning may be empty.
    Choice(Vec<(&'static str, &'static str)>),
    /// A text of a form that the meaning tells.
    Text,
}

impl OptionDoc {
    /// The meaning with the values: a sentence for people.
    pub fn sentence(&self) -> String {
        let meaning = &self.meaning;
        match &self.values {
            Values::Whole(range) if *range.end() < u64::MAX => {
                format!("{meaning}, {} to {}", range.start(), range.end())
            }
            Values::Fraction(range) => format!("{meaning}, {} to {}", range.start(), range.end()),
            Values::Choice(words) => format!("{meaning}: {}", in_a_row(words)),
            Values::Switch | Values::Whole(_) | Values::Text => meaning.clone(),
        }
    }

    /// `switch`, `whole`, `fraction`, `choice` or `text`.
    pub fn kind(&self) -> &'static str {
        match self.values {
            Values::Switch => "switch",
            Values::Whole(_) => "whole",
            Values::Fraction(_) => "fraction",
            Values::Choice(_) => "choice",
            Values::Text => "text",
        }
    }
}

/// `a (meaning of a), b or c (meaning of c)`.
fn in_a_row(words: &[(&str, &str)]) -> String {
    let word = |&(name, meaning): &(&str, &str)| {
        if meaning.is_empty() { name.to_owned() } else { format!("{name} ({meaning})") }
    };
    match words {
        [] => String::new(),
        [one] => word(one),
        [first @ .., last] => format!("{} or {}", first.iter().map(word).collect::<Vec<_>>().join(", "), word(last)),
    }
}

/// An option, or several that belong together, with a value of type `T`.
pub trait Item<T> {
    /// What it says of itself: an entry for each option.
    fn docs(&self) -> Vec<OptionDoc>;
    /// Takes its value out of what was given.
    fn take(&self, params: &mut Params) -> Result<T, TextError>;
}

/// A struct with a field for every option; [`options!`](macro@crate::options) makes them.
pub trait OptionSet: Sized {
    /// All of them, in the order in which users see them.
    fn docs() -> Vec<OptionDoc>;
    /// Takes all of them out of what was given.
    fn take(params: &mut Params) -> Result<Self, TextError>;

    /// Takes all of them, and refuses what is left in the name of `owner`.
    fn read(owner: &str, mut params: Params) -> Result<Self, TextError> {
        let options = Self::take(&mut params)?;
        params.finish(owner, Self::docs().into_iter().map(|option| option.name))?;
        Ok(options)
    }
}

/// No option at all.
impl OptionSet for () {
    fn docs() -> Vec<OptionDoc> {
        vec![]
    }

    fn take(_: &mut Params) -> Result<Self, TextError> {
        Ok(())
    }
}

/// Options that several algorithms share, as one field.
#[derive(Clone, Copy, Debug)]
pub struct Group;

impl<O: OptionSet> Item<O> for Group {
    fn docs(&self) -> Vec<OptionDoc> {
        O::docs()
    }

    fn take(&self, params: &mut Params) -> Result<O, TextError> {
        O::take(params)
    }
}

/// Defines a struct of options: a field of some type `=` the [`Item`] that it is read from. See the module `options`.
#[macro_export]
macro_rules! options {
    ($(#[$attribute:meta])* $see:vis struct $Name:ident {
        $($(#[$doc:meta])* $see_field:vis $field:ident: $Type:ty = $item:expr,)*
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Debug)]
        $see struct $Name { $($(#[$doc])* $see_field $field: $Type,)* }

        impl $crate::OptionSet for $Name {
            fn docs() -> Vec<$crate::OptionDoc> {
                [$($crate::Item::<$Type>::docs(&$item)),*].concat()
            }

            fn take(params: &mut $crate::Params) -> Result<Self, $crate::TextError> {
                Ok($Name { $($field: $crate::Item::<$Type>::take(&$item, params)?,)* })
            }
        }
    };
}

/// How the text of an option is read.
pub trait Kind: Copy {
    /// What it becomes.
    type Value;
    /// A default as a constant can hold it.
    type Default: Copy + Debug;
    /// What `text` says, if it can be understood.
    fn read(&self, text: &str) -> Option<Self::Value>;
    /// What it must be, for refusals: `on or off`.
    fn expected(&self) -> String;
    /// What can be given.
    fn values(&self) -> Values;
    /// The value that a default stands for.
    fn value(&self, default: Self::Default) -> Self::Value;
    /// How somebody would have to give it.
    fn show(&self, default: Self::Default) -> String;
}

/// An option that always has a value.
#[derive(Clone, Copy, Debug)]
pub struct Setting<K: Kind> {
    label: Label,
    kind: K,
    default: K::Default,
}

/// An option that may be left open; what holds then is told in words.
#[derive(Clone, Copy, Debug)]
pub struct Optional<K: Kind> {
    label: Label,
    kind: K,
    words: &'static str,
}

/// An option that always has a value, and of which it matters whether it was given.
#[derive(Clone, Copy, Debug)]
pub struct Noticed<K: Kind>(Setting<K>);

/// A value, and whether somebody gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given<T> {
    /// The value, or the default.
    pub value: T,
    /// Whether it is not just the default.
    pub given: bool,
}

/// What an option is called, and where it stands.
#[derive(Clone, Copy, Debug)]
struct Label {
    name: &'static str,
    meaning: &'static str,
    positional: bool,
}

impl Label {
    const fn new(name: &'static str, meaning: &'static str) -> Self {
        Label { name, meaning, positional: false }
    }

    fn take<K: Kind>(&self, kind: &K, params: &mut Params) -> Result<Option<K::Value>, TextError> {
        let at_its_place = if self.positional { params.take_positional() } else { None };
        let Some(text) = at_its_place.or_else(|| params.take(self.name)) else { return Ok(None) };
        kind.read(text.trim()).map(Some).ok_or_else(|| self.refusal(kind, &text))
    }

    fn refusal<K: Kind>(&self, kind: &K, text: &str) -> TextError {
        TextError::new(format!("{} must be {}, got \"{text}\"", self.name, kind.expected()))
    }

    /// `value` in the type of the field: one in which all values of the option have room.
    fn fit<V: TryInto<T>, T>(&self, value: V) -> Result<T, TextError> {
        value.try_into().map_err(|_| TextError::new(format!("{} is too large here", self.name)))
    }

    fn doc<K: Kind>(&self, kind: &K, default: String, optional: bool) -> OptionDoc {
        let (name, meaning) = (self.name.to_owned(), self.meaning.to_owned());
        let (name, meaning) = match self.positional {
            true => (form_of(&name), format!("{meaning}, also {name}=…")),
            false => (name, meaning),
        };
        OptionDoc { name, meaning, default, optional, values: kind.values() }
    }
}

/// What stands for a positional option: the last word of its name, as `SIZE` for `board-size`.
fn form_of(name: &str) -> String {
    name.rsplit('-').next().unwrap_or(name).to_uppercase()
}

impl<K: Kind> Setting<K> {
    /// An option that is read in a way of its own.
    pub const fn new(name: &'static str, meaning: &'static str, kind: K, default: K::Default) -> Self {
        Setting { label: Label::new(name, meaning), kind, default }
    }

    /// The same, but its name need not be given.
    pub const fn positional(self) -> Self {
        Setting { label: Label { positional: true, ..self.label }, kind: self.kind, default: self.default }
    }
}

impl<K: Kind> Setting<K> {
    /// The same, without its default.
    pub const fn left_open(self, words: &'static str) -> Optional<K> {
        Optional { label: self.label, kind: self.kind, words }
    }

    /// The same, and whether somebody gave it is remembered.
    pub const fn noticed(self) -> Noticed<K> {
        Noticed(self)
    }
}

impl<K: Kind> Optional<K> {
    /// An option that is read in a way of its own.
    pub const fn new(name: &'static str, meaning: &'static str, kind: K, words: &'static str) -> Self {
        Optional { label: Label::new(name, meaning), kind, words }
    }

    /// The same, but its name need not be given.
    pub const fn positional(self) -> Self {
        Optional { label: Label { positional: true, ..self.label }, kind: self.kind, words: self.words }
    }
}

impl<T, K: Kind<Value: TryInto<T>>> Item<T> for Setting<K> {
    fn docs(&self) -> Vec<OptionDoc> {
        vec![self.label.doc(&self.kind, self.kind.show(self.default), false)]
    }

    fn take(&self, params: &mut Params) -> Result<T, TextError> {
        let given = self.label.take(&self.kind, params)?;
        let value = given.unwrap_or_else(|| self.kind.value(self.default));
        self.label.fit(value)
    }
}

impl<T, K: Kind<Value: TryInto<T>>> Item<Option<T>> for Optional<K> {
    fn docs(&self) -> Vec<OptionDoc> {
        vec![self.label.doc(&self.kind, self.words.to_owned(), true)]
    }

    fn take(&self, params: &mut Params) -> Result<Option<T>, TextError> {
        let given = self.label.take(&self.kind, params)?;
        given.map(|value| self.label.fit(value)).transpose()
    }
}

impl<T, K: Kind<Value: TryInto<T>>> Item<Given<T>> for Noticed<K> {
    fn docs(&self) -> Vec<OptionDoc> {
        Item::<T>::docs(&self.0)
    }

    fn take(&self, params: &mut Params) -> Result<Given<T>, TextError> {
        let before = params.len();
        let value = self.0.take(params)?;
        Ok(Given { value, given: params.len() < before })
    }
}

/// On or off.
#[derive(Clone, Copy, Debug)]
pub struct Switch;

impl Kind for Switch {
    type Value = bool;
    type Default = bool;

    fn read(&self, text: &str) -> Option<bool> {
        match text {
            "on" | "true" | "yes" | "1" => Some(true),
            "off" | "false" | "no" | "0" => Some(false),
            _ => None,
        }
    }

    fn expected(&self) -> String {
        "on or off".into()
    }

    fn values(&self) -> Values {
        Values::Switch
    }

    fn value(&self, default: bool) -> bool {
        default
    }

    fn show(&self, default: bool) -> String {
        if default { "on".into() } else { "off".into() }
    }
}

impl Setting<Switch> {
    /// On or off. The meaning says what being on means.
    pub const fn switch(name: &'static str, meaning: &'static str, default: bool) -> Self {
        Self::new(name, meaning, Switch, default)
    }
}

impl Optional<Switch> {
    /// On or off, or neither.
    pub const fn switch(name: &'static str, meaning: &'static str, words: &'static str) -> Self {
        Self::new(name, meaning, Switch, words)
    }
}

/// A number within bounds.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<N> {
    least: N,
    most: N,
}

/// A whole number within bounds, as [`parse_count`] reads it: `1000` or `1k`.
pub type Whole = Bounded<u64>;
/// A number within bounds.
pub type Fraction = Bounded<f64>;

impl<N: Copy + PartialOrd + Display> Bounded<N> {
    const fn new(range: &RangeInclusive<N>) -> Self {
        Bounded { least: *range.start(), most: *range.end() }
    }

    fn keep(self, number: N) -> Option<N> {
        (self.least <= number && number <= self.most).then_some(number)
    }
}

impl Kind for Whole {
    type Value = u64;
    type Default = u64;

    fn read(&self, text: &str) -> Option<u64> {
        parse_count(text).ok().and_then(|number| self.keep(number))
    }

    fn expected(&self) -> String {
        format!("a whole number from {} to {}", self.least, self.most)
    }

    fn values(&self) -> Values {
        Values::Whole(self.least..=self.most)
    }

    fn value(&self, default: u64) -> u64 {
        default
    }

    fn show(&self, default: u64) -> String {
        default.to_string()
    }
}

impl Kind for Fraction {
    type Value = f64;
    type Default = f64;

    fn read(&self, text: &str) -> Option<f64> {
        text.parse().ok().and_then(|number| self.keep(number))
    }

    fn expected(&self) -> String {
        format!("a number from {} to {}", self.least, self.most)
    }

    fn values(&self) -> Values {
        Values::Fraction(self.least..=self.most)
    }

    fn value(&self, default: f64) -> f64 {
        default
    }

    fn show(&self, default: f64) -> String {
        default.to_string()
    }
}

impl Setting<Whole> {
    /// A whole number within `range`.
    pub const fn whole(name: &'static str, meaning: &'static str, range: RangeInclusive<u64>, default: u64) -> Self {
        Self::new(name, meaning, Whole::new(&range), default)
    }
}

impl Optional<Whole> {
    /// A whole number within `range`, or none.
    pub const fn whole(
        name: &'static str,
        meaning: &'static str,
        range: RangeInclusive<u64>,
        words: &'static str,
    ) -> Self {
        Self::new(name, meaning, Whole::new(&range), words)
    }
}

impl Setting<Fraction> {
    /// A number within `range`.
    pub const fn fraction(name: &'static str, meaning: &'static str, range: RangeInclusive<f64>, default: f64) -> Self {
        Self::new(name, meaning, Fraction::new(&range), default)
    }
}

impl Optional<Fraction> {
    /// A number within `range`, or none.
    pub const fn fraction(
        name: &'static str,
        meaning: &'static str,
        range: RangeInclusive<f64>,
        words: &'static str,
    ) -> Self {
        Self::new(name, meaning, Fraction::new(&range), words)
    }
}

/// One of several words: its name, its meaning (which may be empty) and what it stands for.
#[derive(Debug)]
pub struct Choice<T: 'static>(pub &'static [(&'static str, &'static str, T)]);

impl<T> Clone for Choice<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Choice<T> {}

impl<T: Copy> Kind for Choice<T> {
    type Value = T;
    /// The number of a word.
    type Default = usize;

    fn read(&self, text: &str) -> Option<T> {
        self.0.iter().find(|word| word.0 == text).map(|word| word.2)
    }

    fn expected(&self) -> String {
        format!("one of {}", self.0.iter().map(|word| word.0).collect::<Vec<_>>().join(", "))
    }

    fn values(&self) -> Values {
        Values::Choice(self.0.iter().map(|word| (word.0, word.1)).collect())
    }

    fn value(&self, default: usize) -> T {
        self.0[default].2
    }

    fn show(&self, default: usize) -> String {
        self.0[default].0.to_owned()
    }
}

impl<T: Copy> Setting<Choice<T>> {
    /// One of several words; the first is the default.
    pub const fn choice(
        name: &'static str,
        meaning: &'static str,
        words: &'static [(&'static str, &'static str, T)],
    ) -> Self {
        Self::new(name, meaning, Choice(words), 0)
    }
}

impl<T: Copy> Optional<Choice<T>> {
    /// One of several words, or none.
    pub const fn choice(
        name: &'static str,
        meaning: &'static str,
        choices: &'static [(&'static str, &'static str, T)],
        words: &'static str,
    ) -> Self {
        Self::new(name, meaning, Choice(choices), words)
    }
}

/// Any text; who takes it understands it later.
#[derive(Clone, Copy, Debug)]
pub struct Text;

impl Kind for Text {
    type Value = String;
    type Default = &'static str;

    fn read(&self, text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn expected(&self) -> String {
        "a text".into()
    }

    fn values(&self) -> Values {
        Values::Text
    }

    fn value(&self, default: &'static str) -> String {
        default.to_owned()
    }

    fn show(&self, default: &'static str) -> String {
        default.to_owned()
    }
}

impl Setting<Text> {
    /// Any text.
    pub const fn text(name: &'static str, meaning: &'static str, default: &'static str) -> Self {
        Self::new(name, meaning, Text, default)
    }
}

impl Optional<Text> {
    /// Any text, or none.
    pub const fn text(name: &'static str, meaning: &'static str, words: &'static str) -> Self {
        Self::new(name, meaning, Text, words)
    }
}

/// Several whole numbers in one positional parameter, `7x6`; each of them may also be given by its name.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<const N: usize> {
    names: [&'static str; N],
    meaning: &'static str,
    each: Whole,
    default: [u64; N],
}

impl<const N: usize> Sizes<N> {
    /// So many numbers, all within `range`.
    pub const fn new(
        names: [&'static str; N],
        meaning: &'static str,
        range: RangeInclusive<u64>,
        default: [u64; N],
    ) -> Self {
        Sizes { names, meaning, each: Whole::new(&range), default }
    }

    fn read(&self, i: usize, text: &str) -> Result<u64, TextError> {
        self.each.read(text.trim()).ok_or_else(|| Label::new(self.names[i], "").refusal(&self.each, text))
    }

    fn form(&self) -> String {
        self.names.map(str::to_uppercase).join("x")
    }
}

impl<const N: usize> Item<[u64; N]> for Sizes<N> {
    fn docs(&self) -> Vec<OptionDoc> {
        let by_name = self.names.map(|name| format!("{name}=…")).join(",");
        vec![OptionDoc {
            name: self.form(),
            meaning: format!("{}, also {by_name}, each {} to {}", self.meaning, self.each.least, self.each.most),
            default: self.default.map(|n| n.to_string()).join("x"),
            optional: false,
            values: Values::Text,
        }]
    }

    fn take(&self, params: &mut Params) -> Result<[u64; N], TextError> {
        let mut sizes = self.default;
        if let Some(text) = params.take_positional() {
            let parts: Vec<&str> = text.split(['x', 'X', '×']).collect();
            if parts.len() != N {
                return Err(TextError::new(format!("expected {}, got \"{text}\"", self.form())));
            }
            for (i, part) in parts.iter().enumerate() {
                sizes[i] = self.read(i, part)?;
            }
        }
        for (i, name) in self.names.iter().enumerate() {
            if let Some(text) = params.take(name) {
                sizes[i] = self.read(i, &text)?;
            }
        }
        Ok(sizes)
    }
}

/// Any number of whole numbers, one positional parameter each: `1,3,5,7`.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    form: &'static str,
    meaning: &'static str,
    most: usize,
    each: Whole,
    default: &'static [u64],
}

impl Numbers {
    /// Up to `most` numbers, all within `range`; `form` stands for their name: `HEAP,HEAP,…`.
    pub const fn new(
        form: &'static str,
        meaning: &'static str,
        most: usize,
        range: RangeInclusive<u64>,
        default: &'static [u64],
    ) -> Self {
        Numbers { form, meaning, most, each: Whole::new(&range), default }
    }

    fn expected(&self) -> String {
        format!("1 to {} numbers from {} to {}", self.most, self.each.least, self.each.most)
    }
}

impl Item<Vec<u64>> for Numbers {
    fn docs(&self) -> Vec<OptionDoc> {
        vec![OptionDoc {
            name: self.form.to_owned(),
            meaning: format!("{}: {}", self.meaning, self.expected()),
            default: self.default.iter().map(u64::to_string).collect::<Vec<_>>().join(","),
            optional: false,
            values: Values::Text,
        }]
    }

    fn take(&self, params: &mut Params) -> Result<Vec<u64>, TextError> {
        let texts = params.take_positionals();
        if texts.is_empty() {
            return Ok(self.default.to_vec());
        }
        let numbers: Option<Vec<u64>> = texts.iter().map(|text| self.each.read(text)).collect();
        numbers.filter(|numbers| numbers.len() <= self.most).ok_or_else(|| {
            let (form, expected) = (self.form, self.expected());
            TextError::new(format!("{form} must be {expected}, got \"{}\"", texts.join(",")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Setting<Whole> = Setting::whole("size", "points along a side", 3..=19, 15).positional();
    const DEPTH: Optional<Whole> = Optional::whole("depth", "plies to look ahead", 1..=250, "no limit");

    options! {
        struct Inner {
            depth: Option<u8> = DEPTH,
            exact: bool = Setting::switch("exact", "on: prove it", false),
        }
    }

    options! {
        struct Outer {
            size: usize = SIZE,
            inner: Inner = Group,
            way: char = Setting::choice("way", "where to", &[("up", "north", 'u'), ("down", "", 'd')]),
            board: [u64; 2] = Sizes::new(["columns", "rows"], "the board", 1..=9, [7, 6]),
            factor: f64 = Setting::fraction("factor", "how much", 0.0..=1.0, 0.5),
            goal: Option<String> = Optional::text("goal", "what for", "none"),
            playouts: Given<u16> = Setting::whole("playouts", "random games", 1..=1000, 10).noticed(),
        }
    }

    fn take(text: &str) -> Result<Outer, String> {
        let mut params = Params::parse(text).unwrap();
        let taken = Outer::take(&mut params).map_err(|error| error.to_string())?;
        assert!(params.is_empty());
        Ok(taken)
    }

    #[test]
    fn what_is_not_given_has_its_default() {
        let outer = take("").unwrap();
        assert_eq!((outer.size, outer.way, outer.board, outer.factor), (15, 'u', [7, 6], 0.5));
        assert_eq!((outer.goal, outer.inner.depth, outer.inner.exact), (None, None, false));
    }

    #[test]
    fn what_is_given_is_taken() {
        let outer = take("9,5x4,depth=3,exact=on,way=down,factor=0.25,goal=win,rows=2").unwrap();
        assert_eq!((outer.size, outer.way, outer.board, outer.factor), (9, 'd', [5, 2], 0.25));
        assert_eq!((outer.goal.as_deref(), outer.inner.depth, outer.inner.exact), (Some("win"), Some(3), true));
        assert_eq!(take("size=7").unwrap().size, 7);
        assert_eq!(take("").unwrap().playouts, Given { value: 10, given: false });
        assert_eq!(take("playouts=10").unwrap().playouts, Given { value: 10, given: true });
    }

    #[test]
    fn whole_numbers_are_read_as_counts_are() {
        assert_eq!(take("playouts=1k").unwrap().playouts, Given { value: 1000, given: true });
        assert_eq!(take("playouts=0.5k,depth=1e2").unwrap().inner.depth, Some(100));
        for given in ["2k", "1M", "1.5", "0.0001k", "k", "-1", "1 000"] {
            let sentence = format!("playouts must be a whole number from 1 to 1000, got \"{given}\"");
            assert_eq!(take(&format!("playouts={given}")).unwrap_err(), sentence);
        }
    }

    #[test]
    fn refusals_say_what_was_expected() {
        for (given, sentence) in [
            ("2", "size must be a whole number from 3 to 19, got \"2\""),
            ("size=x", "size must be a whole number from 3 to 19, got \"x\""),
            ("9,5", "expected COLUMNSxROWS, got \"5\""),
            ("9,5x40", "rows must be a whole number from 1 to 9, got \"40\""),
            ("depth=0", "depth must be a whole number from 1 to 250, got \"0\""),
            ("exact=maybe", "exact must be on or off, got \"maybe\""),
            ("way=left", "way must be one of up, down, got \"left\""),
            ("factor=nan", "factor must be a number from 0 to 1, got \"nan\""),
        ] {
            assert_eq!(take(given).unwrap_err(), sentence);
        }
    }

    #[test]
    fn numbers_may_stand_one_after_the_other() {
        let heaps = Numbers::new("HEAP,…", "matches per heap", 3, 1..=255, &[1, 3]);
        let take = |text: &str| heaps.take(&mut Params::parse(text).unwrap()).map_err(|error| error.to_string());
        assert_eq!(take(""), Ok(vec![1, 3]));
        assert_eq!(take("5,6,7,players=3"), Ok(vec![5, 6, 7]));
        assert_eq!(take("1,2,3,4"), Err("HEAP,… must be 1 to 3 numbers from 1 to 255, got \"1,2,3,4\"".into()));
        assert!(take("0").is_err());
    }

    #[test]
    fn what_is_left_is_refused() {
        let refusal = Inner::read("inner", Params::parse("depth=3,speed=9").unwrap()).unwrap_err();
        assert_eq!(refusal.to_string(), "inner does not take \"speed=9\"; expected: depth, exact");
    }

    #[test]
    fn options_describe_themselves() {
        let told: Vec<String> = Outer::docs()
            .iter()
            .map(|o| format!("{}: {} ({}, {})", o.name, o.sentence(), o.default, o.kind()))
            .collect();
        assert_eq!(
            told,
            [
                "SIZE: points along a side, also size=…, 3 to 19 (15, whole)",
                "depth: plies to look ahead, 1 to 250 (no limit, whole)",
                "exact: on: prove it (off, switch)",
                "way: where to: up (north) or down (up, choice)",
                "COLUMNSxROWS: the board, also columns=…,rows=…, each 1 to 9 (7x6, text)",
                "factor: how much, 0 to 1 (0.5, fraction)",
                "goal: what for (none, text)",
                "playouts: random games, 1 to 1000 (10, whole)",
            ]
        );
    }
}

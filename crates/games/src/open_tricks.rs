//! Open tricks: a small trick-taking game for three with all cards face up.
//!
//! Chance deals once, by the seed, before the game; then everything is known. The winner of a trick leads the next one,
//! so turns do not go round; every trick counts one, so the scores always add up to the same number. Small hands can be
//! solved completely, which makes this an oracle for searches with many players that rely on a constant sum but not on
//! turn order.
//!
//! Card `c` has suit `c % suits` and rank `c / suits`; a hand is a set of bits.

use perfectplay_core::random::SplitMix64;
use perfectplay_core::{
    Drawing, Estimate, Facts, Features, Game, GameInfo, Heuristic, Notation, OptionSet, OrderingHints, Params, Payoff,
    Persist, Player, Playouts, Scores, Setting, SolverHints, Status, Symmetric, TextError, Visitor, options,
    plain_struct,
};

use crate::support::bits::Bits;

pub(crate) const INFO: GameInfo = GameInfo {
    name: "open-tricks",
    summary: "take tricks with all cards face up, the winner of a trick leads",
    players: "3",
    parameters: Parameters::docs,
    examples: &["open-tricks:2", "open-tricks:3,suits=2,trump=off", "open-tricks:4,seed=7", "open-tricks:8,suits=4"],
    rules:
        "A deck of three times HAND cards is dealt to three players, face up; the seed says how. Suits are a, b, c, \
d and their ranks count from 1, the best is the highest; the cards are spread over the suits as evenly as possible, \
the first suits having one more if it does not come out even. The first player leads to the first trick. A card of the \
suit that was led must be played by who has one; others play what they like. The highest card of the suit that was led \
takes the trick, or the highest of suit a, the trump, if there is one (`trump=off`: no suit is). The winner leads to \
the next trick. The score is the number of tricks; most tricks win, and two players can win together.

Cards are written as suit and rank, `a3`, and so are moves. Positions are the three hands, the cards on the table, who \
led (1 to 3), and the tricks taken: `a2,b1/a1/b2,a3 b3 2 0,1,0`; empty hands and tables are `-`.",
    sources: &[
        "N. Sturtevant, Multi-player games: algorithms and approaches (2003): trick-taking games with open hands as a \
test for searches",
    ],
};

options! {
    struct Parameters {
        hand: u32 = Setting::whole("hand", "cards of each player", 1..=10, 4).positional(),
        suits: u32 = Setting::whole("suits", "suits in the deck", 1..=4, 3),
        trump: bool = Setting::switch("trump", "on: the first suit beats the others", true),
        seed: u64 = Setting::whole("seed", "names the deal", 0..=u64::MAX, 0),
    }
}

/// Deals.
pub(crate) fn open<V: Visitor>(params: Params, visitor: V) -> Result<V::Output, TextError> {
    let Parameters { hand, suits, trump, seed } = Parameters::read(INFO.name, params)?;
    Ok(visitor.scores(OpenTricks::new(hand, suits, trump, seed)))
}

const PLAYERS: usize = 3;
/// No card.
const NONE: u8 = 255;

/// The rules with a deal.
#[derive(Clone, Debug)]
pub struct OpenTricks {
    hand: u32,
    suits: u32,
    trump: bool,
    dealt: [u32; PLAYERS],
    /// The cards of each suit.
    suit: [u32; 4],
}

/// The cards that are left, the trick that is being played, and those that were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Table {
    /// The cards in hand, by player.
    pub hands: [u32; PLAYERS],
    /// The cards on the table in the order in which they were played; 255 for none.
    trick: [u8; 2],
    leader: Player,
    /// Tricks taken, by player.
    pub taken: [u8; PLAYERS],
}

plain_struct!(impl[] Table { hands: [u32; PLAYERS], trick: [u8; 2], leader: Player, taken: [u8; PLAYERS] });

impl Table {
    fn played(&self) -> usize {
        self.trick.iter().filter(|&&card| card != NONE).count()
    }

    fn mover(&self) -> Player {
        Player::new((self.leader.index() + self.played()) % PLAYERS)
    }
}

impl OpenTricks {
    /// The game with `hand` cards for each, dealt by `seed`.
    ///
    /// # Panics
    /// If there are not 1 to 10 cards and 1 to 4 suits.
    pub fn new(hand: u32, suits: u32, trump: bool, seed: u64) -> Self {
        assert!((1..=10).contains(&hand) && (1..=4).contains(&suits), "{hand} cards, {suits} suits");
        let cards = 3 * hand;
        let mut deck: Vec<u32> = (0..cards).collect();
        let mut random = SplitMix64::new(seed);
        for left in (1..deck.len()).rev() {
            deck.swap(left, (random.next_word() % (left as u64 + 1)) as usize);
        }
        let set = |cards: &[u32]| cards.iter().fold(0, |set, card| set | 1 << card);
        let hands: Vec<u32> = deck.chunks(hand as usize).map(set).collect();
        let of_suit = |s: usize| (0..cards).filter(|c| c % suits == s as u32).fold(0, |set, c| set | 1 << c);
        OpenTricks {
            hand,
            suits,
            trump,
            dealt: std::array::from_fn(|p| hands[p]),
            suit: std::array::from_fn(|s| if s < suits as usize { of_suit(s) } else { 0 }),
        }
    }

    /// The cards of `hand` that may be played after `led`.
    fn playable(&self, hand: u32, led: u8) -> u32 {
        if led == NONE {
            return hand;
        }
        let follow = hand & self.suit[(u32::from(led) % self.suits) as usize];
        if follow == 0 { hand } else { follow }
    }

    /// Which of the cards of a trick takes it, or would if no other followed.
    fn best(&self, trick: &[u8]) -> usize {
        let led = u32::from(trick[0]) % self.suits;
        let strength = |card: u8| {
            let (suit, rank) = (u32::from(card) % self.suits, u32::from(card) / self.suits);
            (self.trump && suit == 0, suit == led, rank)
        };
        (0..trick.len()).max_by_key(|&i| strength(trick[i])).unwrap_or(0)
    }

    fn card_text(&self, card: u32) -> String {
        format!("{}{}", char::from(b'a' + (card % self.suits) as u8), card / self.suits + 1)
    }

    fn cards_text(&self, cards: impl Iterator<Item = u32>) -> String {
        let texts: Vec<String> = cards.map(|card| self.card_text(card)).collect();
        if texts.is_empty() { "-".into() } else { texts.join(",") }
    }

    /// The cards in `text`, in this order; none twice.
    fn parse_cards(&self, text: &str) -> Result<Vec<u8>, TextError> {
        let mut cards: Vec<u8> = Vec::new();
        for name in text.split(',').filter(|_| text != "-") {
            let card = (0..3 * self.hand).find(|&c| self.card_text(c) == name);
            match card.map(|c| c as u8).filter(|c| !cards.contains(c)) {
                Some(card) => cards.push(card),
                None => {
                    return Err(TextError::new(format!("expected cards like a1,b2, each once, or -, got \"{text}\"")));
                }
            }
        }
        Ok(cards)
    }

    /// Whether play can lead here, as far as hands and numbers tell.
    fn check(&self, table: &Table) -> Result<(), TextError> {
        let tricks: u32 = table.taken.iter().map(|&n| u32::from(n)).sum();
        let played = table.played();
        for p in 0..PLAYERS {
            let place = (p + PLAYERS - table.leader.index()) % PLAYERS;
            let on_table = if place < played { 1 << table.trick[place] } else { 0 };
            let had = table.hands[p] | on_table;
            let player = Player::new(p);
            if had & !self.dealt[p] != 0 || table.hands[p] & on_table != 0 {
                return Err(TextError::new(format!("{player} was dealt other cards")));
            }
            if had.count() + tricks != self.hand {
                return Err(TextError::new(format!(
                    "{player} must have {} cards left",
                    self.hand.saturating_sub(tricks)
                )));
            }
            if on_table & !self.playable(had, if place == 0 { NONE } else { table.trick[0] }) != 0 {
                return Err(TextError::new(format!("{player} did not follow suit")));
            }
        }
        let leader = table.leader.index();
        if if tricks == 0 { leader != 0 } else { table.taken[leader] == 0 } {
            return Err(TextError::new(format!("{} cannot have led", table.leader)));
        }
        Ok(())
    }
}

impl Game for OpenTricks {
    type State = Table;
    type Move = u8;
    type Payoff = Scores<3>;
    type Key = Table;

    fn start(&self) -> Table {
        Table { hands: self.dealt, trick: [NONE; 2], leader: Player::FIRST, taken: [0; PLAYERS] }
    }

    fn expand(&self, table: &Table, moves: &mut Vec<u8>) -> Status<Scores<3>> {
        let status = self.status(table);
        if let Status::Turn(mover) = status {
            let cards = self.playable(table.hands[mover.index()], table.trick[0]);
            moves.extend(cards.cells().map(|card| card as u8));
        }
        status
    }

    fn status(&self, table: &Table) -> Status<Scores<3>> {
        if table.hands == [0; PLAYERS] {
            return Status::Over(Scores::from_scores(&table.taken.map(i32::from)));
        }
        Status::Turn(table.mover())
    }

    fn play(&self, table: &mut Table, card: u8) {
        table.hands[table.mover().index()] ^= 1 << card;
        match *table {
            Table { trick: [NONE, _], .. } => table.trick[0] = card,
            Table { trick: [_, NONE], .. } => table.trick[1] = card,
            Table { trick: [first, second], leader, .. } => {
                let winner = (leader.index() + self.best(&[first, second, card])) % PLAYERS;
                table.taken[winner] += 1;
                table.leader = Player::new(winner);
                table.trick = [NONE; 2];
            }
        }
    }

    fn key(&self, table: &Table) -> Table {
        *table
    }

    /// After t tricks there are C(hand, t) ways for each hand, three leaders, and (t + 1)(t + 2) / 2 ways to have
    /// shared the tricks; then up to two cards lie on the table.
    fn facts(&self) -> Facts {
        let hand = f64::from(self.hand);
        let choose = |t: u32| (0..t).map(|i| (hand - f64::from(i)) / f64::from(i + 1)).product::<f64>();
        let shares = |t: u32| f64::from((t + 1) * (t + 2) / 2);
        let complete: f64 = (0..=self.hand).map(|t| 3.0 * choose(t).powi(3) * shares(t)).sum();
        Facts {
            alternating: false,
            scores: vec![(0, self.hand as i32); 3],
            sum: (self.hand as i32, self.hand as i32),
            outcomes: Some((0..=self.hand as i32).collect()),
            length: Some(3 * self.hand),
            states: Some(complete * (1.0 + hand + hand * hand)),
            heuristic: true,
            ..Facts::win_draw_loss::<Scores<3>>()
        }
    }
}

impl Notation for OpenTricks {
    fn position_text(&self, table: &Table) -> String {
        let hands = table.hands.map(|hand| self.cards_text(hand.cells())).join("/");
        let trick = self.cards_text(table.trick.iter().filter(|&&c| c != NONE).map(|&c| c.into()));
        let [first, second, third] = table.taken;
        format!("{hands} {trick} {} {first},{second},{third}", table.leader.index() + 1)
    }

    fn parse_position(&self, text: &str) -> Result<Table, TextError> {
        let expected = || {
            TextError::new(format!(
                "expected three hands, the cards on the table, who led and the tricks taken, like \"{}\"; \
got \"{text}\"",
                self.position_text(&self.start())
            ))
        };
        let parts: Vec<&str> = text.split_whitespace().collect();
        let [hands, trick, leader, taken] = parts[..] else { return Err(expected()) };
        let hands: Vec<&str> = hands.split('/').collect();
        let hands: [&str; PLAYERS] = hands.try_into().map_err(|_| expected())?;
        let mut table = self.start();
        for (hand, text) in table.hands.iter_mut().zip(hands) {
            *hand = self.parse_cards(text)?.iter().fold(0, |set, card| set | 1 << card);
        }
        let trick = self.parse_cards(trick)?;
        if trick.len() > 2 {
            return Err(TextError::new("at most two cards lie on the table; the third completes the trick"));
        }
        table.trick[..trick.len()].copy_from_slice(&trick);
        let leader = leader.parse().ok().filter(|l| (1..=PLAYERS).contains(l)).ok_or_else(expected)?;
        table.leader = Player::new(leader - 1);
        let taken: Option<Vec<u8>> = taken.split(',').map(|n| n.parse().ok()).collect();
        table.taken = taken.and_then(|t| t.try_into().ok()).ok_or_else(expected)?;
        self.check(&table)?;
        Ok(table)
    }

    fn move_text(&self, _: &Table, card: u8) -> String {
        self.card_text(card.into())
    }

    fn drawing(&self, table: &Table) -> Drawing {
        let hand = |p: usize| {
            let cards = self.cards_text(table.hands[p].cells());
            format!("player {}: {cards}, tricks {}", p + 1, table.taken[p])
        };
        let lines: Vec<String> = (0..PLAYERS).map(hand).collect();
        let trick = self.cards_text(table.trick.iter().filter(|&&c| c != NONE).map(|&c| c.into()));
        Drawing::text(lines.join("\n")).with_note(format!("on the table: {trick}, led by {}", table.leader))
    }
}

impl Symmetric for OpenTricks {}
impl Playouts for OpenTricks {}

impl Heuristic for OpenTricks {
    fn heuristic(&self, table: &Table) -> [f32; 3] {
        Estimate::from_fn(|player| self.heuristic_of(table, player))
    }

    /// Tricks taken, most of the one on the table for who would take it as it is, and a share of the others by the
    /// ranks in hand.
    fn heuristic_of(&self, table: &Table, player: Player) -> f32 {
        let p = player.index();
        let hand = table.hands[p];
        let trumps = if self.trump { (hand & self.suit[0]).count() as f32 } else { 0.0 };
        let top = (3 * self.hand).div_ceil(self.suits) as f32;
        let ranks: f32 = hand.cells().map(|card| (card / self.suits + 1) as f32 / top).sum();
        let played = table.played();
        let ahead = played > 0 && (table.leader.index() + self.best(&table.trick[..played])) % PLAYERS == p;
        let on_table = if ahead { 0.7 } else { 0.0 };
        let tricks = f32::from(table.taken[p]) + on_table + ((2.0 * ranks + trumps) / 5.0).min(hand.count() as f32);
        0.9 * (2.0 * tricks / self.hand as f32 - 1.0).clamp(-1.0, 1.0)
    }
}

impl Features for OpenTricks {}
impl SolverHints for OpenTricks {}

impl OrderingHints for OpenTricks {
    fn history_index(&self, _: &Table, card: u8) -> usize {
        card.into()
    }
}

impl Persist for OpenTricks {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suits_are_followed_trumps_beat_and_the_winner_leads() {
        let mut game = OpenTricks::new(2, 2, true, 0); // a1 b1 a2 b2 a3 b3
        game.dealt = [0b00_0011, 0b10_1000, 0b01_0100]; // a1 b1, b2 b3, a2 a3
        let mut table = game.start();
        let mut play = |text: &str| {
            let card = game.parse_move(&table, text).map_err(|e| e.to_string())?;
            game.play(&mut table, card);
            Ok::<Player, String>(table.mover())
        };
        assert_eq!(play("b1"), Ok(Player::new(1)));
        assert!(play("a1").is_err());
        assert_eq!(play("b3"), Ok(Player::new(2)));
        assert_eq!(play("a2"), Ok(Player::new(2))); // trumped, and now it leads
        assert_eq!(play("a3"), Ok(Player::new(0)));
        assert_eq!(play("a1"), Ok(Player::new(1)));
        play("b2").unwrap();
        assert_eq!(game.status(&table), Status::Over(Scores::from_scores(&[0, 0, 2])));
    }

    #[test]
    fn without_trumps_only_the_suit_that_was_led_counts() {
        let game = OpenTricks::new(2, 2, false, 0);
        assert_eq!(game.best(&[1, 4, 3]), 2); // b1, a3, b2
        assert_eq!(OpenTricks::new(2, 2, true, 0).best(&[1, 4, 3]), 1);
    }

    #[test]
    fn impossible_positions_are_refused() {
        let mut game = OpenTricks::new(2, 2, true, 0);
        game.dealt = [0b00_0011, 0b10_1000, 0b01_0100];
        for good in
            ["a1,b1/b2,b3/a2,a3 - 1 0,0,0", "a1/b2,b3/a2,a3 b1 1 0,0,0", "a1/b2/a3 - 3 0,0,1", "-/-/- - 3 0,0,2"]
        {
            assert_eq!(game.position_text(&game.parse_position(good).unwrap()), good);
        }
        for bad in [
            "",
            "a1,b1/b2,b3/a2,a3 - 2 0,0,0",
            "a1,b1/b2,b3/a2,a3 - 1 0,0,1",
            "a1,b2/b1,b3/a2,a3 - 1 0,0,0",
            "a1,b1/b2,b3/a2 a3 1 0,0,0",
            "a1,a1/b2,b3/a2,a3 - 1 0,0,0",
            "a1/b2/a3 - 1 0,0,1",
            "a1/b2/a3 - 4 0,0,1",
            "a1/b2 - 3 0,0,1",
            "a1/b2/a3 - 3 0,0",
        ] {
            assert!(game.parse_position(bad).is_err(), "{bad}");
        }
    }
}

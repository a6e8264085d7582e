//! What is done with the texts of one role in one direction: all masks in one instrument, and the rules that read on.

use crate::guard::{Judge, masks};
use crate::policy::{Action, On, Policy, Role};
use sonometer::composition::{Component, Reference, Standing};
use sonometer::session::SessionOptions;
use sonometer::{
    Catalog, Error, Instrument, Interaction, Mask, MaskKey, Metric, Protocol, SenseOptions, Sensor, Unit,
};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// Tells values apart within one conversation, where their numbers come from. It hides nothing: no hash is ever shown.
const KEY: &[u8] = b"sonometer-guard: numbers of values";

/// What is done with the texts of one role in one direction.
#[derive(Default)]
pub(crate) struct Side {
    /// All masks in one instrument.
    mask: Option<(Instrument, SessionOptions)>,
    /// What stands for what masks show.
    texts: BTreeMap<String, String>,
    /// Whether masks are numbered.
    pub(crate) is_numbered: bool,
    /// Whether numbered masks may be restored.
    pub(crate) is_request: bool,
    /// The rules that read answers as they come.
    pub(crate) judges: Vec<usize>,
}

impl Side {
    /// A session that finds what is masked; `None` if nothing is.
    pub(crate) fn session(&self) -> Option<sonometer::Session> {
        self.mask.as_ref().map(|(instrument, options)| instrument.session(*options))
    }

    /// Has the instrument make ready what it needs for streams and for whole texts.
    pub(crate) fn warm_up(&self) -> Result<(), Error> {
        const TEXT: &str = "Ann, 12 May";
        if let Some(mut session) = self.session() {
            session.push(TEXT.as_bytes())?;
            self.found(TEXT)?;
        }
        Ok(())
    }

    /// What is masked in a whole text, in order, each with what is shown: the same as a session finds, without one.
    pub(crate) fn found(&self, text: &str) -> Result<Vec<(Range<usize>, String)>, Error> {
        let Some((instrument, options)) = self.mask.as_ref().filter(|_| !text.is_empty()) else {
            return Ok(Vec::new());
        };
        let reading = instrument.sense_with(&Interaction::text(text)?, options.sense)?;
        Ok(reading.masks(0).into_iter().map(|(place, shown)| (place, shown.into_owned())).collect())
    }

    pub(crate) fn masks(&self) -> bool {
        self.mask.is_some()
    }

    /// What a rule puts in the place of what is shown.
    pub(crate) fn text(&self, shown: &str) -> Option<&str> {
        self.texts.get(shown).map(String::as_str)
    }
}

/// The sides of all roles in one direction, in the order of [`Role::ALL`]; those with the same rules are one.
pub(crate) fn sides(
    policy: &Policy,
    found: &HashMap<&str, Instrument>,
    judges: &[Judge],
    on: On,
    ready: &mut Ready,
) -> Result<[Arc<Side>; 6], Error> {
    let applies = |of: On, roles: &[Role], role| {
        (of == on || of == On::Both) && (roles.is_empty() || roles.contains(&role))
    };
    let mut made: HashMap<(Vec<usize>, Vec<usize>), Arc<Side>> = HashMap::new();
    let mut all: Vec<Arc<Side>> = Vec::new();
    for role in Role::ALL {
        let rules = policy.rules.iter().enumerate();
        let rules: Vec<usize> = rules
            .filter(|(_, rule)| masks(rule) && applies(rule.on, &rule.roles, role))
            .map(|(at, _)| at)
            .collect();
        let judges: Vec<usize> =
            (0..judges.len()).filter(|at| applies(judges[*at].on, &judges[*at].roles, role)).collect();
        let key = (rules, judges);
        let side = match made.get(&key) {
            Some(side) => Arc::clone(side),
            None => {
                let side = Arc::new(side(policy, found, &key.0, key.1.clone(), on, ready)?);
                made.insert(key, Arc::clone(&side));
                side
            }
        };
        all.push(side);
    }
    all.try_into().map_err(|_| Error::invalid("rules", "a role has no rules"))
}

/// Instruments that are compiled already, by their protocols as the rules want them shown.
pub(crate) type Ready = Vec<(Vec<Protocol>, Instrument)>;

/// The protocols of all masks, as the rules want them shown.
struct Merged(Vec<Protocol>);

impl Catalog for Merged {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        Ok(self.0.iter().filter(|protocol| protocol.id == id).cloned().collect())
    }

    fn metrics(&self, _id: &str) -> Result<Vec<Metric>, Error> {
        Ok(Vec::new())
    }
}

fn side(
    policy: &Policy,
    found: &HashMap<&str, Instrument>,
    rules: &[usize],
    judges: Vec<usize>,
    on: On,
    ready: &mut Ready,
) -> Result<Side, Error> {
    let is_restored = policy.placeholders && on == On::Request;
    let mut side = Side { is_request: on == On::Request, judges, ..Side::default() };
    let mut protocols: Vec<Protocol> = Vec::new();
    // By protocol and marker: what `replace` puts there.
    let mut texts: HashMap<(String, String, String), String> = HashMap::new();
    for at in rules {
        let rule = &policy.rules[*at];
        let instrument = &found[rule.target.as_str()];
        let asked = rule.mask.as_deref().map(Mask::read).transpose()?;
        // Of this rule alone: others before it may mask something.
        let mut masks_something = false;
        for (number, sensor) in instrument.sensors().iter().enumerate() {
            let mut protocol = sensor.protocol().clone();
            for (marker_number, marker) in protocol.markers.iter_mut().enumerate() {
                let key = instrument.key(number, marker_number);
                let is_named = rule.markers.iter().any(|name| name == key || *name == marker.label);
                marker.mask = match (marker.mask, rule.markers.is_empty()) {
                    (None, true) => None,
                    (own, _) if is_named || rule.markers.is_empty() => Some(match rule.action {
                        Action::Replace => Mask::Label,
                        _ if is_restored => Mask::Keyed,
                        _ => match asked.or(own).unwrap_or(Mask::All) {
                            Mask::Numbered | Mask::Keyed => Mask::Keyed,
                            other => other,
                        },
                    }),
                    _ => None,
                };
                side.is_numbered |= marker.mask == Some(Mask::Keyed);
                if let (Action::Replace, Some(_), Some(text)) = (rule.action, marker.mask, &rule.text) {
                    let place = (protocol.id.clone(), protocol.version.clone(), marker.label.clone());
                    texts.entry(place).or_insert_with(|| text.clone());
                }
            }
            if protocol.markers.iter().all(|marker| marker.mask.is_none()) {
                continue;
            }
            masks_something = true;
            match protocols
                .iter_mut()
                .find(|known| (&known.id, &known.version) == (&protocol.id, &protocol.version))
            {
                // Two rules about one protocol: the first that masks a marker decides how.
                Some(known) => {
                    for (first, second) in known.markers.iter_mut().zip(protocol.markers) {
                        first.mask = first.mask.or(second.mask);
                    }
                }
                None => protocols.push(protocol),
            }
        }
        if !masks_something {
            let message = format!(
                "`{}` masks nothing: none of its markers has the key `mask`; name `markers` to hide what they find",
                rule.target
            );
            return Err(Error::invalid(format!("rules[{at}].target"), message));
        }
    }
    if protocols.is_empty() {
        return Ok(side);
    }
    let known = ready.iter().find(|(known, _)| *known == protocols).map(|(_, instrument)| instrument.clone());
    let instrument = match known {
        Some(instrument) => instrument,
        None => {
            let instrument = merge(protocols.clone())?;
            ready.push((protocols, instrument.clone()));
            instrument
        }
    };
    for (number, sensor) in instrument.sensors().iter().enumerate() {
        let protocol = sensor.protocol();
        for (marker_number, marker) in protocol.markers.iter().enumerate() {
            let place = (protocol.id.clone(), protocol.version.clone(), marker.label.clone());
            if let Some(text) = texts.get(&place) {
                let shown = instrument.key(number, marker_number).chars();
                let shown: String = shown
                    .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
                    .collect();
                side.texts.entry(format!("<{shown}>")).or_insert_with(|| text.clone());
            }
        }
    }
    let sense = SenseOptions { mask_key: Some(MaskKey::new(KEY)?), ..SenseOptions::default() };
    side.mask = Some((instrument, SessionOptions { sense, release: true, ..SessionOptions::default() }));
    Ok(side)
}

/// One instrument of several protocols.
fn merge(mut protocols: Vec<Protocol>) -> Result<Instrument, Error> {
    if protocols.len() == 1 {
        return Sensor::new(protocols.remove(0)).map(Instrument::from);
    }
    let component = |protocol: &Protocol| Component {
        protocol: Reference { id: protocol.id.clone(), version: Some(protocol.version.clone()) },
        weight: Unit::ONE,
        complement: false,
    };
    let metric = Metric {
        id: "guard".to_owned(),
        name: "guard".to_owned(),
        version: "1".to_owned(),
        status: Standing::Active,
        description: String::new(),
        components: protocols.iter().map(component).collect(),
    };
    Instrument::metric(&metric, &Merged(protocols))
}

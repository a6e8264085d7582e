//! The open dives, by name. Each client has so many ([`limits::DIVES`]); a further one closes the one that was used longest ago.

use crate::answer::Refusal;
use crate::limits;
use sonometer::diagnostic::excerpt;
use sonometer::stage::Dive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A dive with what was answered last, so that a call that is sent again is not another action.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) dive: Dive,
    /// The last action and the step's JSON.
    pub(crate) last: Option<(String, String)>,
    /// Bytes of everything that was said.
    pub(crate) said: usize,
}

#[derive(Debug)]
struct Seat {
    name: String,
    client: usize,
    open: Arc<Mutex<Open>>,
}

/// The one that was used longest ago stands first.
#[derive(Debug, Default)]
pub(crate) struct Dives(Mutex<Vec<Seat>>);

impl Dives {
    fn seats(&self) -> MutexGuard<'_, Vec<Seat>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a dive, and gives its name, which nobody can guess.
    pub(crate) fn add(&self, client: usize, dive: Dive) -> Result<String, Refusal> {
        let name =
            format!("dive_{}", crate::random().map_err(|why| Refusal::new("internal_error", "", why))?);
        let mut seats = self.seats();
        let own = |seat: &Seat| seat.client == client;
        if seats.iter().filter(|seat| own(seat)).count() >= limits::DIVES
            && let Some(at) = seats.iter().position(own)
        {
            seats.remove(at);
        }
        if seats.len() >= limits::DIVES_OF_ALL {
            seats.remove(0);
        }
        let open = Arc::new(Mutex::new(Open { dive, last: None, said: 0 }));
        seats.push(Seat { name: name.clone(), client, open });
        Ok(name)
    }

    /// An open dive.
    pub(crate) fn get(&self, name: &str) -> Result<Arc<Mutex<Open>>, Refusal> {
        let mut seats = self.seats();
        let at = seats.iter().position(|seat| seat.name == name).ok_or_else(|| unknown(name))?;
        let seat = seats.remove(at);
        let open = Arc::clone(&seat.open);
        seats.push(seat);
        Ok(open)
    }

    /// Takes a dive away.
    pub(crate) fn remove(&self, name: &str) -> Result<Arc<Mutex<Open>>, Refusal> {
        let mut seats = self.seats();
        let at = seats.iter().position(|seat| seat.name == name).ok_or_else(|| unknown(name))?;
        Ok(seats.remove(at).open)
    }
}

fn unknown(name: &str) -> Refusal {
    let message = format!(
        "no open dive `{}`: it was closed, or made room for newer ones (of each client, {} are open at most); open it again with \
         `dive_open`: the same seed and actions give the same dive",
        excerpt(name),
        limits::DIVES
    );
    Refusal::new("dive_not_found", "dive_id", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::stage::World;
    use sonometer_catalog::{ForStages, stages};

    fn dive() -> Dive {
        World::read(stages()[0].source, &ForStages).expect("ships").0.open(1)
    }

    #[test]
    fn a_further_dive_makes_room_among_those_of_its_client() {
        let (dives, dive) = (Dives::default(), dive());
        let other = dives.add(2, dive.clone()).expect("has a name");
        let first = dives.add(1, dive.clone()).expect("has a name");
        let second = dives.add(1, dive.clone()).expect("has a name");
        for _ in 2..limits::DIVES {
            dives.add(1, dive.clone()).expect("has a name");
        }
        assert!(dives.get(&first).is_ok(), "and is now used last");
        dives.add(1, dive.clone()).expect("has a name");
        let message = format!("{:?}", dives.get(&second).expect_err("made room"));
        assert!(message.contains("dive_not_found") && message.contains("16 are open at most"), "{message}");
        assert!(dives.get(&first).is_ok() && dives.get(&other).is_ok());
    }

    #[test]
    fn there_is_a_bound_for_all_clients_together() {
        let (dives, dive) = (Dives::default(), dive());
        let first = dives.add(0, dive.clone()).expect("has a name");
        for client in 1..=limits::DIVES_OF_ALL {
            dives.add(client, dive.clone()).expect("has a name");
        }
        assert!(dives.get(&first).is_err());
        assert_eq!(dives.seats().len(), limits::DIVES_OF_ALL);
    }

    #[test]
    fn a_closed_dive_is_gone() {
        let dives = Dives::default();
        let name = dives.add(1, dive()).expect("has a name");
        assert!(name.len() == "dive_".len() + 32);
        assert!(dives.remove(&name).is_ok());
        assert!(dives.get(&name).is_err() && dives.remove(&name).is_err());
    }
}

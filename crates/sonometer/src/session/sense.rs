//! Sensing at once: a session that is fed once.

use crate::error::Error;
use crate::evidence::search::search_all;
use crate::instrument::Instrument;
use crate::interaction::Interaction;
use crate::measure::SenseOptions;
use crate::measure::conclude::conclude;
use crate::measure::fidelity::{self, Fidelity};
use crate::reading::{Reading, View};
use crate::sensor::Sensor;

impl Instrument {
    /// Measures an interaction: the text is folded and cut once for all protocols. Content that is insufficient for one of them
    /// gives a reading too: one that says so and reports nothing else (see [`Fidelity`]); an average over fewer parts would be
    /// another measure.
    ///
    /// # Errors
    /// `invalid_request` if one of the protocols does not support the modality, or at `mask_key` if a mask asks for a key that
    /// is not there.
    pub fn sense(&self, interaction: &Interaction) -> Result<Reading, Error> {
        self.sense_with(interaction, SenseOptions::default())
    }

    /// As [`Instrument::sense`], with options.
    ///
    /// # Errors
    /// As [`Instrument::sense`].
    pub fn sense_with(&self, interaction: &Interaction, options: SenseOptions) -> Result<Reading, Error> {
        self.clone().into_reading(interaction, options)
    }

    /// A reading that holds this instrument: each further handle to it costs where threads share it.
    fn into_reading(self, interaction: &Interaction, options: SenseOptions) -> Result<Reading, Error> {
        let plans = self.plans();
        // Everything that can refuse comes before the work.
        plans.iter().try_for_each(|plan| options.check(plan, interaction.modality()))?;
        let searches = search_all(&plans, interaction);
        let key = |sensor: usize, marker: u32| self.key(sensor, marker as usize);
        let parts = conclude(self.sensors(), searches, interaction, options, key);
        Ok(Reading::new(self, parts, options))
    }

    /// The reading of the last turn of a conversation by itself, with the turns before it as what it is said in reply to.
    ///
    /// Everything is found and judged in the whole conversation, so that an echo, a companion or a number dictated over several
    /// turns is seen. Then only what *ends* in the last turn is kept, and that is measured as if nothing else had been said:
    /// words, turns, uses of a line, shares and fidelity are those of the last turn. What is not said has no place in any
    /// turn, so absent markers stay silent. What is found counts regardless of fidelity, which says how far to trust it.
    pub(crate) fn sense_last(&self, interaction: &Interaction) -> Reading {
        let plans = self.plans();
        let mut searches = search_all(&plans, interaction);
        searches.iter_mut().zip(&plans).for_each(|(search, plan)| search.keep_last(plan));
        let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
        let key = |sensor: usize, marker: u32| self.key(sensor, marker as usize);
        let parts = conclude(self.sensors(), searches, interaction, options, key);
        Reading::new(self.clone(), parts, options)
    }

    /// Whether the content holds enough for a reliable reading; costs no ICS.
    ///
    /// # Errors
    /// As [`Instrument::sense`].
    pub fn fidelity(&self, interaction: &Interaction) -> Result<Fidelity, Error> {
        let plans = self.plans();
        plans.iter().try_for_each(|plan| plan.check_modality(interaction.modality()))?;
        Ok(fidelity::together(fidelity::of_interaction(&plans, interaction).into_iter()))
    }

    /// Whether a reading can be shown so. Doors ask before they sense.
    ///
    /// # Errors
    /// As [`View::check`] and [`View::check_composed`].
    pub fn check(&self, view: View<'_>) -> Result<(), Error> {
        match self.sensor() {
            Some(sensor) => view.check(sensor.protocol()),
            None => view.check_composed(),
        }
    }
}

impl Sensor {
    /// Measures an interaction, as [`Instrument::sense`].
    ///
    /// # Errors
    /// As [`Instrument::sense`].
    pub fn sense(&self, interaction: &Interaction) -> Result<Reading, Error> {
        self.sense_with(interaction, SenseOptions::default())
    }

    /// As [`Sensor::sense`], with options.
    ///
    /// # Errors
    /// As [`Instrument::sense`].
    pub fn sense_with(&self, interaction: &Interaction, options: SenseOptions) -> Result<Reading, Error> {
        Instrument::from(self.clone()).into_reading(interaction, options)
    }

    /// Whether the content holds enough for a reliable reading, as [`Instrument::fidelity`].
    ///
    /// # Errors
    /// As [`Instrument::sense`].
    pub fn fidelity(&self, interaction: &Interaction) -> Result<Fidelity, Error> {
        Instrument::from(self.clone()).fidelity(interaction)
    }
}

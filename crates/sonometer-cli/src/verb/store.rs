//! Which store a verb works on, and what opens its secrets.

use crate::failure::Failure;
use crate::file;
use crate::screen::Screen;
use crate::settings::{self, CONFIG, Given, Name, Settings};
use sonometer_service::{Service, Store};

/// The flags that `serve` and `admin` share; before the verb of `admin` or behind it.
#[derive(Debug, clap::Args)]
pub(crate) struct StoreFlags {
    /// A TOML file with settings, or the variable SONOMETER_CONFIG; `serve --print-config` prints one with every setting
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<String>,
    /// An SQLite file (created if missing), or `postgres://user@host/database`, which several nodes may share [default: sonometer.sqlite]
    #[arg(long, global = true, value_name = "FILE|URL")]
    database: Option<String>,
    /// Encrypt secrets in the store with the keys in this file, a line each, the newest first; `admin new-key` makes one
    #[arg(long, global = true, value_name = "FILE")]
    key_file: Option<String>,
}

impl StoreFlags {
    /// The settings that these flags give.
    pub(crate) fn given(&self) -> Vec<Given> {
        let all = [
            Given::text("--database", Name::Database, self.database.as_deref()),
            Given::text("--key-file", Name::KeysFile, self.key_file.as_deref()),
        ];
        all.into_iter().flatten().collect()
    }

    /// The file of settings, if there is one.
    pub(crate) fn file(&self) -> Option<String> {
        let named = || std::env::var(CONFIG).ok().filter(|name| !name.is_empty());
        self.config.clone().or_else(named)
    }

    /// The settings in use.
    pub(crate) fn settings(&self) -> Result<Settings, Failure> {
        Settings::read(&self.given(), &settings::environment(), self.file().as_deref())
    }

    /// The service on this store, which must be there.
    pub(crate) async fn open_there(&self, screen: &Screen) -> Result<Service, Failure> {
        let settings = self.settings()?;
        let file = settings.text(Name::Database);
        if !Store::is_there(file) {
            return Err(Failure::unusable(format!(
                "{file}: no such file; `sonometer serve` or `sonometer admin create-org` creates it"
            )));
        }
        if Store::is_empty(file) {
            return Err(Failure::unusable(format!(
                "{file}: the file is empty, so it holds no database; give --database another file, or restore a backup \
                 (docs/service.md, Backup and restore)"
            )));
        }
        self.open(screen).await
    }

    /// The service on this store.
    pub(crate) async fn open(&self, screen: &Screen) -> Result<Service, Failure> {
        let settings = self.settings()?;
        settings.given(Name::KeysFile).into_iter().for_each(file::tell_open_key);
        let waits = |what: &str| screen.note(what);
        let store = Store::open_with(settings.text(Name::Database), settings.vault()?, waits).await;
        store.map(Service::new).map_err(Failure::unusable)
    }
}

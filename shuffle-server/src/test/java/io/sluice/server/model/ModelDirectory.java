package io.sluice.server.model;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * A directory during one epoch of the server.
 *
 * @param storage its files
 * @param catalog its records
 */
record ModelDirectory(InMemoryStorage storage, ModelCatalog catalog) {
  static ModelDirectory create(String name, StorageKind kind) {
    return new ModelDirectory(new InMemoryStorage(name, kind), new ModelCatalog());
  }

  /** Returns the directory's state after a crash. */
  ModelDirectory afterCrash() {
    return new ModelDirectory(storage.afterCrash(), catalog.afterCrash());
  }

  /** Returns the directory's state after a crash of the machine. */
  ModelDirectory afterMachineCrash(Random random) {
    return new ModelDirectory(storage.afterMachineCrash(random), catalog.afterMachineCrash(random));
  }

  /** Makes all later operations of the ended process fail. */
  void cutOff() {
    storage.vanished(true);
    catalog.failWith(new IOException("the process has ended"));
  }

  void endFaults() {
    storage.failAtCall(Integer.MAX_VALUE);
    storage.failReads(false);
    storage.readableAgain();
    storage.maxBytesPerWrite(Integer.MAX_VALUE);
    catalog.failAtChange(Integer.MAX_VALUE);
  }

  /** Runs in the catalog whose file has its full length. */
  Set<RunId> wholeRuns() throws IOException {
    Map<String, Long> lengths = new HashMap<>();
    for (Storage.Entry entry : storage.list()) {
      lengths.put(entry.file(), entry.length());
    }
    Set<RunId> whole = new TreeSet<>((a, b) -> a.toString().compareTo(b.toString()));
    for (RunRecord run : catalog.runs()) {
      if (lengths.getOrDefault(RunFiles.fileName(run.id()), 0L) == run.length()) {
        whole.add(run.id());
      }
    }
    return whole;
  }

  boolean hasForgotten(ShuffleKey shuffle) throws IOException {
    return catalog.tombstones().stream().anyMatch(each -> each.shuffle().equals(shuffle));
  }
}

package io.sluice.server.model;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.catalog.Tombstone;
import java.io.IOException;
import java.util.Collection;
import java.util.Random;
import java.util.function.Consumer;

/** A catalog with injected failures and a callback before each change. */
final class ModelCatalog extends InMemoryCatalog {
  private Runnable beforeChange = () -> {};
  private Consumer<RunRecord> added = run -> {};
  private int failAtChange = Integer.MAX_VALUE;
  private boolean syncsEveryChange;
  private InMemoryCatalog synced;

  /**
   * @param task called before each change
   * @param listener called for each run that was added
   */
  void listen(Runnable task, Consumer<RunRecord> listener) {
    beforeChange = task;
    added = listener;
  }

  /** Makes the n-th change from now fail, once. */
  void failAtChange(int n) {
    failAtChange = n;
  }

  /**
   * Keeps the contents that survive a crash of the machine, from now on.
   *
   * @param everyChange whether each change does, without {@link #sync}
   */
  synchronized void keepSynced(boolean everyChange) throws IOException {
    syncsEveryChange = everyChange;
    sync();
  }

  ModelCatalog afterCrash() {
    ModelCatalog next = new ModelCatalog();
    copyTo(next);
    next.syncsEveryChange = syncsEveryChange;
    next.synced = synced;
    return next;
  }

  /** The catalog after a crash of the machine: all changes since the last sync may be gone. */
  synchronized ModelCatalog afterMachineCrash(Random random) {
    ModelCatalog next = afterCrash();
    if (synced != null && !syncsEveryChange && random.nextBoolean()) {
      next.setTo(synced);
    }
    return next;
  }

  @Override
  public synchronized void sync() throws IOException {
    super.sync();
    synced = new InMemoryCatalog();
    copyTo(synced);
  }

  @Override
  public synchronized void add(RunRecord run) throws IOException {
    change();
    super.add(run);
    added.accept(run);
  }

  @Override
  public synchronized void remove(Collection<RunId> removed) throws IOException {
    change();
    super.remove(removed);
  }

  @Override
  public synchronized void addTombstones(Collection<Tombstone> shuffles) throws IOException {
    change();
    super.addTombstones(shuffles);
  }

  private synchronized void change() throws IOException {
    beforeChange.run();
    failAtChange--;
    if (failAtChange == 0) {
      throw new IOException("injected catalog failure");
    }
  }
}

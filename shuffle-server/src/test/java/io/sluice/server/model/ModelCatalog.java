package io.sluice.server.model;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.catalog.Tombstone;
import java.io.IOException;
import java.util.Collection;
import java.util.function.Consumer;

/** A catalog with injected failures and a callback before each change. */
final class ModelCatalog extends InMemoryCatalog {
  private Runnable beforeChange = () -> {};
  private Consumer<RunRecord> added = run -> {};
  private int failAtChange = Integer.MAX_VALUE;

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

  ModelCatalog afterCrash() {
    ModelCatalog next = new ModelCatalog();
    copyTo(next);
    return next;
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

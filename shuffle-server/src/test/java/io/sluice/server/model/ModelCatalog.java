package io.sluice.server.model;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.catalog.Tombstone;
import java.io.IOException;
import java.util.Collection;
import java.util.function.Consumer;

/** A catalog that fails when it is told to, and lets others do something before each change. */
final class ModelCatalog extends InMemoryCatalog {
  private Runnable beforeChange = () -> {};
  private Consumer<RunRecord> added = run -> {};
  private int failAtChange = Integer.MAX_VALUE;

  /**
   * @param task done before each change
   * @param listener told of each run that was added
   */
  void listen(Runnable task, Consumer<RunRecord> listener) {
    beforeChange = task;
    added = listener;
  }

  /** The n-th change from now fails, once. */
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
  public synchronized void remove(Collection<RunId> gone) throws IOException {
    change();
    super.remove(gone);
  }

  @Override
  public synchronized void bury(Collection<Tombstone> shuffles) throws IOException {
    change();
    super.bury(shuffles);
  }

  private synchronized void change() throws IOException {
    beforeChange.run();
    failAtChange--;
    if (failAtChange == 0) {
      throw new IOException("injected failure of a catalog");
    }
  }
}

package io.sluice.server.adopt;

import com.google.common.util.concurrent.MoreExecutors;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.remote.RemoteTier;

/** An adopter without threads, for tests of other packages that control the schedule. */
public final class AdopterSteps {
  private AdopterSteps() {}

  /** Returns an adopter that has found what was adopted before a restart. */
  public static Adopter of(RemoteTier tier, Disk disk, RunFiles files, ShuffleStore store) {
    Adopter adopter =
        new Adopter(tier, disk, files, store, MoreExecutors::newDirectExecutorService);
    adopter.findAdopted();
    return adopter;
  }

  /** Runs the pending adoptions, on the calling thread. */
  public static void run(Adopter adopter) {
    adopter.runPending();
  }
}

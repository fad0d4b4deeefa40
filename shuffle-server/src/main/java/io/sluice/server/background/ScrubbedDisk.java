package io.sluice.server.background;

import io.sluice.common.run.DamagedBlock;
import io.sluice.common.run.RunFormatException;
import java.io.IOException;
import java.util.Collection;
import java.util.List;

/** The disk of a scrubber; methods are called on the scrubber's thread only. */
public interface ScrubbedDisk<R extends ScrubbedRun> {
  /** For messages. */
  String name();

  /** Whether the disk is in use or not healthy: scrubbing pauses. */
  boolean isBusy();

  /** The runs that the disk stores now, in no order. */
  Collection<R> runs();

  /**
   * Reports a run with a damaged header, block list or index, which must no longer be served.
   *
   * @param where names file, offset and damaged part
   */
  void damaged(R run, RunFormatException where);

  /**
   * Reports damaged blocks of a run, which must no longer be served.
   *
   * @param blocks at least one, by ascending offset
   */
  void damaged(R run, List<DamagedBlock> blocks);

  /** Reports an unreadable run, which may or may not be damaged. */
  void unreadable(R run, IOException problem);
}

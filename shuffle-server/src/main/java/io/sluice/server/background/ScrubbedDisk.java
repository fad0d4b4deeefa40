package io.sluice.server.background;

import io.sluice.common.run.RunFormatException;
import java.io.IOException;
import java.util.Collection;

/** The disk of a scrubber; methods are called on the scrubber's thread only. */
public interface ScrubbedDisk<R extends ScrubbedRun> {
  /** For messages. */
  String name();

  /** Whether the disk is in use or not healthy: scrubbing pauses. */
  boolean isBusy();

  /** The runs that the disk stores now, in no order. */
  Collection<R> runs();

  /**
   * Reports a damaged run, which must no longer be served.
   *
   * @param where names file, offset and damaged part
   */
  void damaged(R run, RunFormatException where);

  /** Reports an unreadable run, which may or may not be damaged. */
  void unreadable(R run, IOException problem);
}

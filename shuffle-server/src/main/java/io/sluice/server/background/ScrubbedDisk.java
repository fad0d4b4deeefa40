package io.sluice.server.background;

import io.sluice.common.run.RunFormatException;
import java.io.IOException;
import java.util.Collection;

/** A disk as its scrubber sees it; every method is called on the scrubber's thread only. */
public interface ScrubbedDisk<R extends ScrubbedRun> {
  /** For messages. */
  String name();

  /** Whether others use the disk now, or it is not well: nothing is verified meanwhile. */
  boolean isBusy();

  /** The runs that lie on it at this moment, in no order. */
  Collection<R> runs();

  /**
   * A run has bytes that are not those that were written. It is not to be served any more.
   *
   * @param where names file, offset and what is damaged
   */
  void damaged(R run, RunFormatException where);

  /** A run could not be read; whether it is damaged is not known. */
  void unreadable(R run, IOException problem);
}

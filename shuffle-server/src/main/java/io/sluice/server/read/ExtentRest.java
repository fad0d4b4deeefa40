package io.sluice.server.read;

import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LogPiece;

/**
 * Decides whether the rest of an extent is read together with a piece of it. Clients request slices
 * of a fixed length, whose ends are not the ends of extents in merged runs. Without this, most
 * extents would need two requests of a disk, each with a seek.
 */
public final class ExtentRest {
  /** An HDD reads about as many bytes in the time of a seek. */
  private static final int MAX_BYTES = 1 << 20;

  private ExtentRest() {}

  /** Number of bytes to read after a piece; 0: none. */
  public static int bytes(StorageKind kind, LogPiece.InFile piece) {
    return kind == StorageKind.HDD && piece.following() <= MAX_BYTES ? (int) piece.following() : 0;
  }
}

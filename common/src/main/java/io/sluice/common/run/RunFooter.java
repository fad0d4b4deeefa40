package io.sluice.common.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/** Writes the parts after the block lists: index, replaced runs, trailer. */
final class RunFooter {
  private RunFooter() {}

  static void checkReplaced(List<RunId> replaced) {
    if (replaced.size() > RunFormat.MAX_REPLACED) {
      throw new IllegalArgumentException(
          replaced.size() + " replaced runs, maximum is " + RunFormat.MAX_REPLACED);
    }
  }

  /**
   * Writes the footer after the block lists and flushes {@code out}.
   *
   * @param extents by ascending partition, with positions of their block lists
   * @return length of the file
   */
  static long write(
      RunOutput out,
      RunHeader header,
      List<RunId> replaced,
      long blockListsOffset,
      List<RunExtent> extents)
      throws IOException {
    long indexOffset = out.position();
    CRC32C crc = new CRC32C();
    for (RunExtent extent : extents) {
      ByteBuffer entry = RunFormat.encode(extent);
      crc.update(entry.duplicate());
      out.add(entry);
    }
    ByteBuffer replacedIds = RunFormat.encode(replaced);
    crc.update(replacedIds.duplicate());
    out.add(replacedIds);
    out.add(
        RunFormat.encode(
            new RunFormat.Trailer(
                header.runId(),
                blockListsOffset,
                indexOffset,
                out.position() + RunFormat.TRAILER_LENGTH,
                extents.size(),
                (int) crc.getValue(),
                replaced.size())));
    out.flush();
    return out.position();
  }
}

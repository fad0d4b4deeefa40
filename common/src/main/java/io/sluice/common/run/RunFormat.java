package io.sluice.common.run;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Layout of a run file, version 1; little-endian.
 *
 * <pre>
 *   header | blocks of one partition | of the next ... | block lists | index | replaced runs | trailer
 *
 *  header: 52 bytes and the application id
 *  at size field
 *   0    4 magic              "SLRN"
 *   4    2 version            1; a reader refuses other versions
 *   6    2 flags              zero; any bit set: refuse
 *   8   16 runId              random: high 8 bytes, low 8 bytes; repeated in the trailer
 *  24    8 epoch              of the server at the arrival of the run's first block
 *  32    8 arrival            number of the block's push frame in its shuffle and epoch
 *  40    4 shuffle            at least 0
 *  44    2 applicationLength  n, 1..256
 *  46    2 reserved           zero
 *  48    n application        ASCII
 *  48+n  4 headerCrc32c       over bytes 0..47+n
 *
 *  blocks: in order of arrival in each partition; partitions ascending; no gaps
 *
 *  block lists: one per partition, in the same order; 24 bytes for each block
 *   0    8 mapAttempt
 *   8    4 mapIndex
 *  12    4 sequence
 *  16    4 length             of the block, header and payload
 *  20    1 flags              of the block
 *  21    3 reserved           zero
 *
 *  index: one entry per partition, in the same order: 64 bytes and 24 for each slice mark
 *   0    4 partition
 *   4    4 minMapIndex
 *   8    4 maxMapIndex
 *  12    4 blockCount         at least 1
 *  16    4 markCount          at least 1
 *  20    4 blockListCrc32c    over the partition's block list
 *  24    8 fileOffset         of the partition's first block
 *  32    8 length             of its blocks
 *  40    8 logicalStart       logical offset of its first block in the partition
 *  48    8 blockListOffset    start of its block list
 *  56    8 reserved           zero
 *  64      marks, each:
 *          0  8 offset        logical offset; the first is logicalStart
 *          8  8 length
 *         16  4 minMapIndex
 *         20  4 maxMapIndex
 *
 *  replaced runs: 16 bytes for each input of the merge
 *   0   16 runId              high 8 bytes, low 8 bytes
 *
 *  trailer: the last 64 bytes of the file
 *   0    4 magic              "SLRF"
 *   4    2 version            1
 *   6    2 reserved           zero
 *   8   16 runId              that of the header
 *  24    8 blockListsOffset   end of the blocks
 *  32    8 indexOffset        end of the block lists
 *  40    8 fileLength         of the whole file
 *  48    4 extentCount        entries of the index
 *  52    4 indexCrc32c        over the index and the replaced runs
 *  56    4 replacedCount      replaced runs, 0..65536
 *  60    4 trailerCrc32c      over bytes 0..59
 * </pre>
 *
 * Every byte of a run is covered by a checksum; each block has its own. An unfinished file has no
 * trailer and is refused as truncated.
 */
public final class RunFormat {
  public static final int VERSION = 1;

  static final int HEADER_MAGIC = 'S' | 'L' << 8 | 'R' << 16 | 'N' << 24;
  static final int HEADER_FIXED_LENGTH = 48;
  static final int APPLICATION_LENGTH_AT = 44;

  static final int BLOCK_ENTRY_LENGTH = 24;
  static final int INDEX_ENTRY_LENGTH = 64;
  static final int MARK_LENGTH = 24;
  static final int RUN_ID_LENGTH = 16;

  /** Maximum number of runs that one run replaces. */
  static final int MAX_REPLACED = 1 << 16;

  static final int TRAILER_MAGIC = 'S' | 'L' << 8 | 'R' << 16 | 'F' << 24;
  static final int TRAILER_LENGTH = 64;
  static final int TRAILER_CRC_AT = TRAILER_LENGTH - Integer.BYTES;

  /** Approximate distance of slice marks in bytes. */
  static final int MARK_BYTES = 1 << 20;

  private RunFormat() {}

  static ByteBuffer encode(RunHeader header) {
    ByteBuffer out = ByteBuffer.allocate(header.length()).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(HEADER_MAGIC).putShort((short) VERSION).putShort((short) 0);
    out.putLong(header.runId().high()).putLong(header.runId().low());
    out.putLong(header.order().epoch()).putLong(header.order().arrival());
    out.putInt(header.shuffle());
    out.putShort((short) header.application().length()).putShort((short) 0);
    out.put(header.application().getBytes(StandardCharsets.US_ASCII));
    out.putInt(crc(out.array(), out.position()));
    return out.flip();
  }

  static void encode(ByteBuffer out, RunBlock block) {
    out.putLong(block.mapAttempt()).putInt(block.mapIndex()).putInt(block.sequence());
    out.putInt(block.length()).put((byte) block.flags()).put((byte) 0).putShort((short) 0);
  }

  static ByteBuffer encode(RunExtent extent) {
    ByteBuffer out =
        ByteBuffer.allocate(INDEX_ENTRY_LENGTH + extent.marks().size() * MARK_LENGTH)
            .order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(extent.partition()).putInt(extent.minMapIndex()).putInt(extent.maxMapIndex());
    out.putInt(extent.blockCount()).putInt(extent.marks().size());
    out.putInt(extent.blockListCrc32c());
    out.putLong(extent.fileOffset()).putLong(extent.length()).putLong(extent.logicalStart());
    out.putLong(extent.blockListOffset()).putLong(0);
    for (RunMark mark : extent.marks()) {
      out.putLong(mark.offset()).putLong(mark.length());
      out.putInt(mark.minMapIndex()).putInt(mark.maxMapIndex());
    }
    return out.flip();
  }

  static ByteBuffer encode(List<RunId> replaced) {
    ByteBuffer out =
        ByteBuffer.allocate(replaced.size() * RUN_ID_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    for (RunId run : replaced) {
      out.putLong(run.high()).putLong(run.low());
    }
    return out.flip();
  }

  static ByteBuffer encode(Trailer trailer) {
    ByteBuffer out = ByteBuffer.allocate(TRAILER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(TRAILER_MAGIC).putShort((short) VERSION).putShort((short) 0);
    out.putLong(trailer.runId().high()).putLong(trailer.runId().low());
    out.putLong(trailer.blockListsOffset()).putLong(trailer.indexOffset());
    out.putLong(trailer.fileLength()).putInt(trailer.extentCount()).putInt(trailer.indexCrc32c());
    out.putInt(trailer.replacedCount());
    out.putInt(crc(out.array(), TRAILER_CRC_AT));
    return out.flip();
  }

  static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  /** The last bytes of a run, which locate all other parts. */
  record Trailer(
      RunId runId,
      long blockListsOffset,
      long indexOffset,
      long fileLength,
      int extentCount,
      int indexCrc32c,
      int replacedCount) {}
}

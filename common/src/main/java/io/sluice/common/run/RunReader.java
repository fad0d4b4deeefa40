package io.sluice.common.run;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.run.RunFormatException.Reason;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Reads a run. {@link #open} checks header, trailer and index; block lists and blocks are checked
 * when they are read. Every kind of damage causes a {@link RunFormatException} that names file and
 * offset. Not thread-safe.
 */
public final class RunReader implements AutoCloseable {
  private static final int BLOCKS_PER_CHUNK = 4096;

  private final FileChannel channel;
  private final boolean ownsChannel;
  private final String file;
  private final long fileLength;
  private RunHeader header;
  private RunFormat.Trailer trailer;
  private List<RunExtent> extents;
  private List<RunId> replaced;

  private RunReader(FileChannel channel, boolean ownsChannel, String file) throws IOException {
    this.channel = channel;
    this.ownsChannel = ownsChannel;
    this.file = file;
    this.fileLength = channel.size();
  }

  /**
   * Opens a run.
   *
   * @throws RunFormatException if the file is not a complete run
   */
  public static RunReader open(Path path) throws IOException {
    return open(FileChannel.open(path, StandardOpenOption.READ), path.toString());
  }

  /**
   * Opens a run.
   *
   * @param channel ownership is transferred: closed by {@link #close}, or if this method fails
   * @param file name for messages
   */
  public static RunReader open(FileChannel channel, String file) throws IOException {
    boolean opened = false;
    try {
      RunReader reader = open(channel, true, file);
      opened = true;
      return reader;
    } finally {
      if (!opened) {
        channel.close();
      }
    }
  }

  /**
   * Opens a run.
   *
   * @param channel borrowed: must stay open while the reader is in use
   * @param file name for messages
   */
  public static RunReader borrow(FileChannel channel, String file) throws IOException {
    return open(channel, false, file);
  }

  private static RunReader open(FileChannel channel, boolean ownsChannel, String file)
      throws IOException {
    RunReader reader = new RunReader(channel, ownsChannel, file);
    reader.header = reader.readHeader();
    reader.trailer = reader.readTrailer();
    reader.readIndex();
    return reader;
  }

  public RunHeader header() {
    return header;
  }

  /** By ascending partition. */
  public List<RunExtent> extents() {
    return extents;
  }

  /** Runs that this run replaced; empty unless it is the result of a merge. */
  public List<RunId> replaced() {
    return replaced;
  }

  public long fileLength() {
    return fileLength;
  }

  /** Name for messages. */
  public String file() {
    return file;
  }

  /** End of the blocks and start of the block lists. */
  long blockListsOffset() {
    return trailer.blockListsOffset();
  }

  /** End of the block lists. */
  long indexOffset() {
    return trailer.indexOffset();
  }

  RunFormatException badBlockList(RunExtent extent, int actualCrc) {
    return badCrc(extent.blockListCrc32c(), actualCrc, extent.blockListOffset(), "block list");
  }

  /** Borrowed from this reader. */
  FileChannel channel() {
    return channel;
  }

  /** The blocks of an extent of this run, in order. */
  public List<RunBlock> blocks(RunExtent extent) throws IOException {
    List<RunBlock> blocks = new ArrayList<>(extent.blockCount());
    forEachBlock(extent, blocks::add);
    return blocks;
  }

  /**
   * Visits the blocks of an extent of this run, in order, with constant memory. A damaged list is
   * refused before the first visit.
   */
  public void forEachBlock(RunExtent extent, Consumer<RunBlock> visitor) throws IOException {
    int chunkCount = (extent.blockCount() + BLOCKS_PER_CHUNK - 1) / BLOCKS_PER_CHUNK;
    CRC32C crc = new CRC32C();
    ByteBuffer chunk = null;
    for (int i = 0; i < chunkCount; i++) {
      chunk = readBlockList(extent, i);
      crc.update(chunk.duplicate());
    }
    if ((int) crc.getValue() != extent.blockListCrc32c()) {
      throw badBlockList(extent, (int) crc.getValue());
    }
    for (int i = 0; i < chunkCount; i++) {
      if (chunkCount > 1) {
        chunk = readBlockList(extent, i);
      }
      long at =
          extent.blockListOffset() + (long) i * BLOCKS_PER_CHUNK * RunFormat.BLOCK_ENTRY_LENGTH;
      while (chunk.hasRemaining()) {
        visitor.accept(readBlock(chunk, at + chunk.position()));
      }
    }
  }

  private ByteBuffer readBlockList(RunExtent extent, int chunk) throws IOException {
    int first = chunk * BLOCKS_PER_CHUNK;
    int count = Math.min(BLOCKS_PER_CHUNK, extent.blockCount() - first);
    return read(
        extent.blockListOffset() + (long) first * RunFormat.BLOCK_ENTRY_LENGTH,
        count * RunFormat.BLOCK_ENTRY_LENGTH);
  }

  private RunBlock readBlock(ByteBuffer list, long at) throws RunFormatException {
    long attempt = list.getLong();
    int mapIndex = list.getInt();
    int sequence = list.getInt();
    int length = list.getInt();
    int flags = list.get() & 0xff;
    boolean reservedZero = list.get() == 0 && list.getShort() == 0;
    if (!reservedZero || length < BlockHeader.LENGTH) {
      throw damaged(Reason.BAD_FIELD, at, "invalid block list entry, blockLength=" + length);
    }
    return new RunBlock(attempt, mapIndex, sequence, length, flags);
  }

  /** Receives damaged blocks; an exception ends the verification. */
  public interface DamageVisitor {
    void damaged(DamagedBlock block) throws IOException;
  }

  /**
   * Reads and checks the whole file.
   *
   * @throws RunFormatException with the position of the first damaged bytes
   */
  public void verify() throws IOException {
    verify(
        block -> {
          throw block.problem();
        });
  }

  /**
   * Reads and checks the whole file, and continues after a damaged block.
   *
   * @throws RunFormatException if a block list is damaged
   */
  public void verify(DamageVisitor visitor) throws IOException {
    for (RunExtent extent : extents) {
      verify(extent, visitor);
    }
  }

  /**
   * Checks the block that contains an offset of the file.
   *
   * @return the block if it is damaged; empty if it is not, or if the extent of the partition does
   *     not contain the offset
   * @throws RunFormatException if the block list is damaged
   */
  public Optional<DamagedBlock> verifyBlock(int partition, long offset) throws IOException {
    RunExtent extent = extentOf(partition);
    if (extent == null || offset < extent.fileOffset() || offset >= extent.fileEnd()) {
      return Optional.empty();
    }
    long at = extent.fileOffset();
    for (RunBlock listed : blocks(extent)) {
      checkInside(extent, listed, at);
      if (offset < at + listed.length()) {
        return Optional.ofNullable(verify(extent, listed, at));
      }
      at += listed.length();
    }
    return Optional.empty();
  }

  private RunExtent extentOf(int partition) {
    int low = 0;
    int high = extents.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      RunExtent extent = extents.get(middle);
      if (extent.partition() == partition) {
        return extent;
      }
      if (extent.partition() < partition) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    if (ownsChannel) {
      channel.close();
    }
  }

  private void verify(RunExtent extent, DamageVisitor visitor) throws IOException {
    long at = extent.fileOffset();
    for (RunBlock listed : blocks(extent)) {
      checkInside(extent, listed, at);
      DamagedBlock damaged = verify(extent, listed, at);
      if (damaged != null) {
        visitor.damaged(damaged);
      }
      at += listed.length();
    }
    if (at != extent.fileEnd()) {
      throw damaged(
          Reason.MISMATCH,
          at,
          "partition " + extent.partition() + ": the listed blocks are shorter than the extent");
    }
  }

  private void checkInside(RunExtent extent, RunBlock listed, long at) throws RunFormatException {
    if (listed.length() > extent.fileEnd() - at) {
      throw damaged(
          Reason.MISMATCH,
          at,
          "partition " + extent.partition() + ": the listed blocks are longer than the extent");
    }
  }

  /** Null if the block is not damaged. */
  private DamagedBlock verify(RunExtent extent, RunBlock listed, long at) throws IOException {
    RunFormatException problem = problemOf(extent, listed, at);
    return problem == null ? null : new DamagedBlock(extent.partition(), at, listed, problem);
  }

  private RunFormatException problemOf(RunExtent extent, RunBlock listed, long at)
      throws IOException {
    BlockHeader found;
    try {
      ByteBuf block = Unpooled.wrappedBuffer(read(at, listed.length()));
      found = BlockFormat.readVerified(block, 0, listed.length());
    } catch (BlockFormatException e) {
      return damaged(
          Reason.BAD_BLOCK,
          at,
          String.format(
              "partition %d attempt %d map %d sequence %d: %s, %s",
              extent.partition(),
              listed.mapAttempt(),
              listed.mapIndex(),
              listed.sequence(),
              e.reason(),
              e.getMessage()));
    }
    boolean asListed =
        found.partition() == extent.partition()
            && found.blockLength() == listed.length()
            && found.mapAttempt() == listed.mapAttempt()
            && found.mapIndex() == listed.mapIndex()
            && found.sequence() == listed.sequence()
            && found.flags() == listed.flags();
    return asListed
        ? null
        : damaged(
            Reason.MISMATCH,
            at,
            "partition " + extent.partition() + ": listed " + listed + ", found " + found);
  }

  private RunHeader readHeader() throws IOException {
    ByteBuffer fixed = read(0, RunFormat.HEADER_FIXED_LENGTH);
    int magic = fixed.getInt();
    if (magic != RunFormat.HEADER_MAGIC) {
      throw damaged(
          Reason.BAD_MAGIC,
          0,
          String.format("expected magic %08x, found %08x", RunFormat.HEADER_MAGIC, magic));
    }
    checkVersion(fixed.getShort(), 0);
    int flags = fixed.getShort();
    RunId runId = new RunId(fixed.getLong(), fixed.getLong());
    RunOrder order = new RunOrder(fixed.getLong(), fixed.getLong());
    int shuffle = fixed.getInt();
    int nameLength = fixed.getShort();
    int reserved = fixed.getShort();
    if (nameLength < 1 || nameLength > RunHeader.MAX_APPLICATION_LENGTH) {
      throw damaged(
          Reason.BAD_FIELD,
          RunFormat.APPLICATION_LENGTH_AT,
          "invalid length of the application id, bytes=" + nameLength);
    }
    int crcAt = RunFormat.HEADER_FIXED_LENGTH + nameLength;
    ByteBuffer whole = read(0, crcAt + Integer.BYTES);
    int expected = whole.getInt(crcAt);
    whole.limit(crcAt);
    checkCrc(whole, expected, 0, "header");
    if (flags != 0 || reserved != 0 || shuffle < 0) {
      throw damaged(Reason.BAD_FIELD, 0, "invalid header, flags=" + flags + " shuffle=" + shuffle);
    }
    byte[] name = new byte[nameLength];
    whole.get(RunFormat.HEADER_FIXED_LENGTH, name);
    for (byte letter : name) {
      if (letter < 0) {
        throw damaged(
            Reason.BAD_FIELD, RunFormat.HEADER_FIXED_LENGTH, "application id is not ASCII");
      }
    }
    return new RunHeader(runId, order, new String(name, StandardCharsets.US_ASCII), shuffle);
  }

  private RunFormat.Trailer readTrailer() throws IOException {
    long at = fileLength - RunFormat.TRAILER_LENGTH;
    if (at < header.length()) {
      throw damaged(
          Reason.TRUNCATED, fileLength, "file of " + fileLength + " bytes has no trailer");
    }
    ByteBuffer bytes = read(at, RunFormat.TRAILER_LENGTH);
    int magic = bytes.getInt();
    int expectedCrc = bytes.getInt(RunFormat.TRAILER_CRC_AT);
    if (magic != RunFormat.TRAILER_MAGIC) {
      // Only the magic is wrong: a damaged trailer. Otherwise these bytes are not a trailer.
      bytes.putInt(0, RunFormat.TRAILER_MAGIC);
      boolean isTrailer = trailerCrc(bytes) == expectedCrc;
      throw damaged(
          isTrailer ? Reason.BAD_MAGIC : Reason.TRUNCATED,
          at,
          isTrailer
              ? String.format("expected magic %08x, found %08x", RunFormat.TRAILER_MAGIC, magic)
              : "no trailer at the end: the file is unfinished or truncated");
    }
    checkVersion(bytes.getShort(), at);
    int reserved = bytes.getShort();
    RunFormat.Trailer found =
        new RunFormat.Trailer(
            new RunId(bytes.getLong(), bytes.getLong()),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getLong(),
            bytes.getInt(),
            bytes.getInt(),
            bytes.getInt());
    bytes.position(0).limit(RunFormat.TRAILER_CRC_AT);
    checkCrc(bytes, expectedCrc, at, "trailer");
    if (!found.runId().equals(header.runId())) {
      throw damaged(
          Reason.MISMATCH,
          at,
          "header is of run " + header.runId() + ", trailer of run " + found.runId());
    }
    if (found.fileLength() != fileLength) {
      throw damaged(
          found.fileLength() > fileLength ? Reason.TRUNCATED : Reason.MISMATCH,
          at,
          "file of " + fileLength + " bytes, expected " + found.fileLength());
    }
    if (reserved != 0
        || found.replacedCount() < 0
        || found.replacedCount() > RunFormat.MAX_REPLACED
        || found.extentCount() < 1
        || found.blockListsOffset() < header.length()
        || found.indexOffset() < found.blockListsOffset()
        || found.indexOffset() > at - (long) found.replacedCount() * RunFormat.RUN_ID_LENGTH
        || at - found.indexOffset() > Integer.MAX_VALUE) {
      throw damaged(Reason.BAD_FIELD, at, "trailer " + found);
    }
    return found;
  }

  private void readIndex() throws IOException {
    long indexEnd = fileLength - RunFormat.TRAILER_LENGTH;
    ByteBuffer index = read(trailer.indexOffset(), (int) (indexEnd - trailer.indexOffset()));
    checkCrc(index, trailer.indexCrc32c(), trailer.indexOffset(), "index");
    int replacedAt = index.limit() - trailer.replacedCount() * RunFormat.RUN_ID_LENGTH;
    replaced = readReplaced(index, replacedAt);
    index.limit(replacedAt);
    List<RunExtent> found = new ArrayList<>();
    long blocksEnd = header.length();
    long listsEnd = trailer.blockListsOffset();
    int lastPartition = -1;
    for (int i = 0; i < trailer.extentCount(); i++) {
      long at = trailer.indexOffset() + index.position();
      RunExtent extent = readEntry(index, at);
      if (extent.partition() <= lastPartition
          || extent.fileOffset() != blocksEnd
          || extent.length() < (long) extent.blockCount() * BlockHeader.LENGTH
          || extent.length() > trailer.blockListsOffset() - blocksEnd
          || extent.blockListOffset() != listsEnd
          || extent.logicalStart() < 0) {
        throw damaged(Reason.BAD_FIELD, at, "index entry " + extent);
      }
      lastPartition = extent.partition();
      blocksEnd = extent.fileEnd();
      listsEnd += (long) extent.blockCount() * RunFormat.BLOCK_ENTRY_LENGTH;
      found.add(extent);
    }
    if (index.hasRemaining()
        || blocksEnd != trailer.blockListsOffset()
        || listsEnd != trailer.indexOffset()) {
      throw damaged(
          Reason.BAD_FIELD, trailer.indexOffset(), "the index does not cover the whole file");
    }
    extents = List.copyOf(found);
  }

  private List<RunId> readReplaced(ByteBuffer index, int at) {
    RunId[] ids = new RunId[trailer.replacedCount()];
    for (int i = 0; i < ids.length; i++) {
      int id = at + i * RunFormat.RUN_ID_LENGTH;
      ids[i] = new RunId(index.getLong(id), index.getLong(id + Long.BYTES));
    }
    return List.of(ids);
  }

  private RunExtent readEntry(ByteBuffer index, long at) throws RunFormatException {
    if (index.remaining() < RunFormat.INDEX_ENTRY_LENGTH) {
      throw damaged(Reason.BAD_FIELD, at, "index has fewer entries than the trailer specifies");
    }
    int partition = index.getInt();
    int minMapIndex = index.getInt();
    int maxMapIndex = index.getInt();
    int blockCount = index.getInt();
    int markCount = index.getInt();
    int blockListCrc = index.getInt();
    long fileOffset = index.getLong();
    long length = index.getLong();
    long logicalStart = index.getLong();
    long blockListOffset = index.getLong();
    long reserved = index.getLong();
    if (reserved != 0
        || partition < 0
        || length < 1
        || logicalStart > Long.MAX_VALUE - length
        || blockCount < 1
        || blockCount > Integer.MAX_VALUE / RunFormat.BLOCK_ENTRY_LENGTH
        || markCount < 1
        || markCount > index.remaining() / RunFormat.MARK_LENGTH) {
      throw damaged(
          Reason.BAD_FIELD,
          at,
          "index entry of partition "
              + partition
              + " with "
              + blockCount
              + " blocks and "
              + markCount
              + " marks");
    }
    List<RunMark> marks = readMarks(index, at, markCount, logicalStart, logicalStart + length);
    return new RunExtent(
        partition,
        fileOffset,
        length,
        logicalStart,
        minMapIndex,
        maxMapIndex,
        blockCount,
        blockListOffset,
        blockListCrc,
        marks);
  }

  /** Reads slice marks, which follow each other from {@code start} to {@code end}. */
  private List<RunMark> readMarks(ByteBuffer index, long at, int count, long start, long end)
      throws RunFormatException {
    List<RunMark> marks = new ArrayList<>(count);
    long next = start;
    for (int i = 0; i < count; i++) {
      RunMark mark = new RunMark(index.getLong(), index.getLong(), index.getInt(), index.getInt());
      if (mark.offset() != next || mark.length() < 1 || mark.length() > end - next) {
        throw damaged(Reason.BAD_FIELD, at, "slice mark " + mark);
      }
      next += mark.length();
      marks.add(mark);
    }
    if (next != end) {
      throw damaged(Reason.BAD_FIELD, at, "slice marks end at " + next);
    }
    return marks;
  }

  /** Reads {@code length} bytes from {@code offset}. */
  private ByteBuffer read(long offset, int length) throws IOException {
    if (length > fileLength - offset) {
      throw damaged(
          Reason.TRUNCATED,
          fileLength,
          "expected " + length + " bytes at offset " + offset + ", file length is " + fileLength);
    }
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, offset + bytes.position()) < 0) {
        throw new EOFException("run file=" + file + " was truncated while it was read");
      }
    }
    return bytes.flip();
  }

  private void checkVersion(int version, long at) throws RunFormatException {
    if (version != RunFormat.VERSION) {
      throw damaged(
          Reason.BAD_VERSION, at, "expected version " + RunFormat.VERSION + ", found " + version);
    }
  }

  /** Checks the remaining bytes without consuming them. */
  private void checkCrc(ByteBuffer bytes, int expected, long at, String what)
      throws RunFormatException {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    int actual = (int) crc.getValue();
    if (actual != expected) {
      throw badCrc(expected, actual, at, what);
    }
  }

  private RunFormatException badCrc(int expected, int actual, long at, String what) {
    return damaged(
        Reason.BAD_CHECKSUM,
        at,
        String.format("%s: crc expected=%08x actual=%08x", what, expected, actual));
  }

  private static int trailerCrc(ByteBuffer trailer) {
    CRC32C crc = new CRC32C();
    crc.update(trailer.slice(0, RunFormat.TRAILER_CRC_AT));
    return (int) crc.getValue();
  }

  private RunFormatException damaged(Reason reason, long offset, String message) {
    return new RunFormatException(reason, file, offset, message);
  }
}

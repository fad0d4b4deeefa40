package io.sluice.spark.write;

import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.SparkOutOfMemoryError;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.TooLargePageException;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.UnsafeAlignedOffset;
import org.apache.spark.unsafe.array.LongArray;
import org.apache.spark.unsafe.memory.MemoryBlock;
import org.apache.spark.util.collection.unsafe.sort.RadixSort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Buffers serialized records in pages of Spark's task memory and writes them as blocks, by
 * ascending partition and within a partition in insertion order.
 *
 * <p>A record is its length followed by its bytes in a page; a pointer to it is one long:
 *
 * <pre>
 *  bits 63..40  partition
 *       39..27  page number
 *       26.. 0  offset in the page: a record begins in the first 128 MiB of its page
 * </pre>
 *
 * Sorting by partition is a radix sort over the upper three bytes of an array of longs. The array
 * is twice as long as the pointers need, because the sort needs the same space again.
 *
 * <p>Each flush proves that it has written every inserted record once, to its partition: it
 * compares sums over the pointers and the lengths. From the output on, receipts prove that.
 *
 * <p>The sorter flushes all records as blocks to the output when the configured size is reached,
 * when Spark has no more memory, or when another consumer of the task needs memory. It never writes
 * a file, and its memory does not grow with the number of partitions.
 *
 * <p>Owned by the task thread that creates it. Declines spill requests from other threads or during
 * an insert, which Spark permits.
 */
public final class PartitionSorter extends MemoryConsumer {
  /** Maximum number of partitions that a pointer can address. */
  public static final int MAX_PARTITIONS = 1 << 24;

  private static final Logger LOG = LoggerFactory.getLogger(PartitionSorter.class);

  private static final int PARTITION_SHIFT = 40;
  private static final int PAGE_SHIFT = 27;
  private static final int PAGE_BITS_IN_ADDRESS = 51;
  private static final long OFFSET_MASK = (1L << PAGE_SHIFT) - 1;
  private static final long PAGE_MASK = (1L << (PARTITION_SHIFT - PAGE_SHIFT)) - 1;
  private static final int FIRST_SORTED_BYTE = PARTITION_SHIFT / 8;
  private static final int LAST_SORTED_BYTE = 7;

  /**
   * Small, because a job may have thousands of tasks with a few records each, such as partial
   * counts.
   */
  private static final long FIRST_PAGE_BYTES = 16 << 10;

  private static final long MIN_FULL_PAGE_BYTES = 1 << 20;

  /** Half of the range of an offset, which leaves space for the base offset of heap pages. */
  private static final long MAX_PAGE_BYTES = 1L << (PAGE_SHIFT - 1);

  /** Half of the 8192 pages that all consumers of a task share. */
  private static final int MAX_PAGES = 4096;

  /** Stays below powers of two when doubled, see {@link #withoutHeader}. */
  private static final int FIRST_POINTERS = 508;

  /** Below this block size, the cost per block (header, compression, index) dominates. */
  private static final long MIN_EFFICIENT_BLOCK_BYTES = 16 << 10;

  /** Above this block size nothing is gained, and more buffered records cost garbage collection. */
  private static final long SUFFICIENT_BLOCK_BYTES = 128 << 10;

  private static final long MIN_SUFFICIENT_BYTES = 16 << 20;

  /** Maximum factor by which many partitions raise the flush threshold. */
  private static final int MAX_THRESHOLD_FACTOR = 4;

  private static final long POINTER_FACTOR = 0xD6E8FEB86659FD93L;

  private final MapOutput output;
  private final long spillBytes;
  private final int blockBytes;
  private final long fullPageBytes;
  private final Thread owner = Thread.currentThread();
  private final List<MemoryBlock> pages = new ArrayList<>();
  private final int lengthBytes = UnsafeAlignedOffset.getUaoSize();

  private MemoryBlock page;
  private long pageCursor;
  private long pageEnd;
  private LongArray pointers;
  private long pointerLimit;
  private int count;
  private long recordBytes;
  private long pointerSum;
  private boolean busy;
  private byte[] block = new byte[0];
  private long peakBytes;
  private int flushes;

  /**
   * @param spillBytes bytes of task memory at which to flush, even if Spark would grant more
   * @param blockBytes maximum uncompressed size of a block, unless one record is larger
   */
  public PartitionSorter(
      TaskMemoryManager memory, MapOutput output, long spillBytes, int blockBytes) {
    super(memory, FIRST_PAGE_BYTES, memory.getTungstenMemoryMode());
    this.output = output;
    this.spillBytes = spillBytes;
    this.blockBytes = blockBytes;
    this.fullPageBytes = fullPageBytes(memory, spillBytes);
  }

  /**
   * The flush threshold for a number of partitions: the configured size; less if blocks are large
   * enough with less; up to four times the configured size if blocks would otherwise be tiny.
   */
  static long flushThresholdBytes(long configuredBytes, int partitions) {
    long efficientBytes =
        Math.min(partitions * MIN_EFFICIENT_BLOCK_BYTES, configuredBytes * MAX_THRESHOLD_FACTOR);
    long sufficientBytes = Math.max(partitions * SUFFICIENT_BLOCK_BYTES, MIN_SUFFICIENT_BYTES);
    return Math.max(Math.min(configuredBytes, sufficientBytes), efficientBytes);
  }

  /** Page size with which a full sorter has about 64 pages. */
  private static long fullPageBytes(TaskMemoryManager memory, long spillBytes) {
    long wanted = Math.min(MAX_PAGE_BYTES, Math.max(MIN_FULL_PAGE_BYTES, spillBytes / 64));
    return Math.min(withoutHeader(wanted), memory.pageSizeBytes());
  }

  /**
   * Leaves space for the array header. G1 allocates large objects in whole regions, so an array
   * slightly above a power of two would use twice its size.
   */
  private static long withoutHeader(long bytes) {
    return bytes - Platform.LONG_ARRAY_OFFSET;
  }

  /** Copies a record in. Borrows {@code base}. */
  public void insert(Object base, long offset, int length, int partition) throws IOException {
    insert(base, offset, length, partition, 0);
  }

  /** Copies a record in that begins with its length: four bytes, big-endian. Borrows base. */
  void insertAfterLength(Object base, long offset, int length, int partition) throws IOException {
    insert(base, offset, length, partition, Integer.BYTES);
  }

  private void insert(Object base, long offset, int length, int partition, int prefixBytes)
      throws IOException {
    busy = true;
    try {
      int recordLength = Math.addExact(length, prefixBytes);
      int required = Math.addExact(recordLength, lengthBytes);
      if (count > 0 && getUsed() >= spillBytes && !(pageHasRoom(required) && pointersHaveRoom())) {
        flush();
      }
      while (!pageHasRoom(required) || !pointersHaveRoom()) {
        if (!pageHasRoom(required)) {
          addPage(required);
        } else {
          growPointers();
        }
      }
      Object pageBase = page.getBaseObject();
      long address = taskMemoryManager.encodePageNumberAndOffset(page, pageCursor);
      UnsafeAlignedOffset.putSize(pageBase, pageCursor, recordLength);
      pageCursor += lengthBytes;
      if (prefixBytes > 0) {
        Platform.putInt(pageBase, pageCursor, bigEndian(length));
        pageCursor += prefixBytes;
      }
      Platform.copyMemory(base, offset, pageBase, pageCursor, length);
      pageCursor += length;
      if (lengthBytes == Long.BYTES) {
        pageCursor = (pageCursor + Long.BYTES - 1) & -Long.BYTES;
      }
      long pointer =
          (long) partition << PARTITION_SHIFT
              | (address >>> PAGE_BITS_IN_ADDRESS) << PAGE_SHIFT
              | (address & OFFSET_MASK);
      pointers.set(count++, pointer);
      pointerSum += mixed(pointer);
      recordBytes += recordLength;
    } finally {
      busy = false;
    }
  }

  private static int bigEndian(int value) {
    return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? value : Integer.reverseBytes(value);
  }

  /** Spreads the bits of a pointer, so that sums of different sets of pointers differ. */
  private static long mixed(long pointer) {
    return (pointer ^ pointer >>> Integer.SIZE) * POINTER_FACTOR;
  }

  /** Writes all remaining records. */
  public void finish() throws IOException {
    busy = true;
    try {
      output.beginFinalPass();
      flush();
    } finally {
      busy = false;
    }
  }

  /** Returns all memory to Spark. Idempotent. */
  public void release() {
    notePeak();
    freePages();
    freePointers();
    block = new byte[0];
  }

  /** Peak task memory, in bytes. */
  public long peakBytes() {
    notePeak();
    return peakBytes;
  }

  /** Number of flushes, including the final one. */
  public int flushes() {
    return flushes;
  }

  @Override
  public long spill(long size, MemoryConsumer trigger) throws IOException {
    if (count == 0 || Thread.currentThread() != owner || (busy && trigger != this)) {
      return 0;
    }
    boolean wasBusy = busy;
    busy = true;
    try {
      long before = getUsed();
      flush();
      return before - getUsed();
    } finally {
      busy = wasBusy;
    }
  }

  private boolean pageHasRoom(int required) {
    return page != null && pageEnd - pageCursor >= required;
  }

  private boolean pointersHaveRoom() {
    return pointers != null && count < pointerLimit;
  }

  private void addPage(int required) throws IOException {
    if (pages.size() >= MAX_PAGES) {
      flush();
    }
    page = newPage(required);
    pages.add(page);
    pageCursor = page.getBaseOffset();
    pageEnd = pageCursor + page.size();
  }

  /**
   * Allocates a page as large as all existing pages together, up to a full page; a smaller page if
   * memory is short. Spark may call {@link #spill} of this sorter to find the memory.
   */
  private MemoryBlock newPage(int required) {
    long wanted = Math.min(fullPageBytes, Math.max(FIRST_PAGE_BYTES, getUsed()));
    if (wanted > required) {
      try {
        return allocatePage(wanted);
      } catch (SparkOutOfMemoryError e) {
        // Try a page for this record only.
        LOG.debug("full page of task memory not available requestedBytes={}", wanted);
      }
    }
    return allocatePage(required);
  }

  private void growPointers() throws IOException {
    long wanted = pointers == null ? FIRST_POINTERS : pointers.size() * 2;
    if (wanted / 2 > Integer.MAX_VALUE) {
      flush();
      return;
    }
    LongArray larger;
    try {
      // Spark may call spill() of this sorter to find the memory.
      larger = allocateArray(wanted);
    } catch (TooLargePageException e) {
      flush();
      return;
    } catch (SparkOutOfMemoryError e) {
      if (pointersHaveRoom()) {
        return;
      }
      throw e;
    }
    if (pointers != null) {
      Platform.copyMemory(
          pointers.getBaseObject(),
          pointers.getBaseOffset(),
          larger.getBaseObject(),
          larger.getBaseOffset(),
          (long) count * Long.BYTES);
      freeArray(pointers);
    }
    usePointers(larger);
  }

  private void usePointers(LongArray array) {
    pointers = array;
    pointerLimit = array.size() / 2;
  }

  /** Writes all records as blocks and frees all pages. */
  private void flush() throws IOException {
    notePeak();
    if (count > 0) {
      flushes++;
      int first =
          RadixSort.sort(pointers, count, FIRST_SORTED_BYTE, LAST_SORTED_BYTE, false, false);
      writeBlocks(first, first + count);
      clearRecords();
    }
    freePages();
    if (pointers != null && pointers.size() > FIRST_POINTERS) {
      freePointers();
    }
  }

  private void writeBlocks(int first, int end) throws IOException {
    int needed = (int) Math.min(blockBytes, recordBytes);
    if (block.length < needed) {
      block = new byte[needed];
    }
    int partition = -1;
    int filled = 0;
    int records = 0;
    long writtenBytes = 0;
    long writtenSum = 0;
    for (int i = first; i < end; i++) {
      long pointer = pointers.get(i);
      writtenSum += mixed(pointer);
      int recordPartition = (int) (pointer >>> PARTITION_SHIFT);
      long address =
          (pointer >>> PAGE_SHIFT & PAGE_MASK) << PAGE_BITS_IN_ADDRESS | (pointer & OFFSET_MASK);
      Object base = taskMemoryManager.getPage(address);
      long at = taskMemoryManager.getOffsetInPage(address);
      int length = UnsafeAlignedOffset.getSize(base, at);
      writtenBytes += length;
      requireWithin(length, writtenBytes);
      if (records > 0 && (recordPartition != partition || filled + length > block.length)) {
        output.add(partition, block, filled, records);
        filled = 0;
        records = 0;
      }
      partition = recordPartition;
      if (length > block.length) {
        byte[] large = new byte[length];
        Platform.copyMemory(base, at + lengthBytes, large, Platform.BYTE_ARRAY_OFFSET, length);
        output.add(partition, large, length, 1);
      } else {
        Platform.copyMemory(
            base, at + lengthBytes, block, Platform.BYTE_ARRAY_OFFSET + filled, length);
        filled += length;
        records++;
      }
    }
    if (writtenBytes != recordBytes || writtenSum != pointerSum) {
      throw new IllegalStateException(
          "sorted records are not those that were inserted: records="
              + count
              + " bytes="
              + writtenBytes
              + " expectedBytes="
              + recordBytes
              + " pointersMatch="
              + (writtenSum == pointerSum));
    }
    if (records > 0) {
      output.add(partition, block, filled, records);
    }
  }

  /** Checks a length before it is used. */
  private void requireWithin(int length, long writtenBytes) {
    if (length < 0 || writtenBytes > recordBytes) {
      throw new IllegalStateException(
          "length of a sorted record is wrong: length="
              + length
              + " bytes="
              + writtenBytes
              + " expectedBytes="
              + recordBytes);
    }
  }

  private void freePages() {
    for (MemoryBlock allocated : pages) {
      freePage(allocated);
    }
    pages.clear();
    page = null;
    pageCursor = 0;
    pageEnd = 0;
  }

  private void freePointers() {
    if (pointers != null) {
      freeArray(pointers);
      pointers = null;
      pointerLimit = 0;
    }
    clearRecords();
  }

  private void clearRecords() {
    count = 0;
    recordBytes = 0;
    pointerSum = 0;
  }

  private void notePeak() {
    peakBytes = Math.max(peakBytes, getUsed());
  }
}

package io.sluice.spark.write;

import java.io.IOException;
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
 * Holds serialized records in pages of Spark's task memory and hands them out as blocks, by
 * ascending partition and, within one, in the order of arrival.
 *
 * <p>A record is its length followed by its bytes in a page; a pointer to it is one long:
 *
 * <pre>
 *  bits 63..40  partition
 *       39..27  page number
 *       26.. 0  offset in the page: a record begins in the first 128 MiB of its page
 * </pre>
 *
 * so that sorting by partition is a radix sort over the upper three bytes of an array of longs. The
 * array is twice as long as the pointers need, which is the room that the sort works in.
 *
 * <p>Spilling is draining: when Spark has no more memory, or the configured size is reached, or
 * another consumer of the same task asks, what is held becomes blocks of the output, and inserting
 * goes on. No file is ever written, and memory does not grow with the number of partitions.
 *
 * <p>Owned by the task thread that makes it; a request to spill that comes from another thread or
 * in the middle of an insert is declined, which Spark allows for.
 */
public final class PartitionSorter extends MemoryConsumer {
  /** Partitions that a pointer can name. */
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
   * A task with a few records, such as one that sends on a partial count, must cost next to
   * nothing: there may be thousands of them.
   */
  private static final long FIRST_PAGE_BYTES = 16 << 10;

  private static final long MIN_FULL_PAGE_BYTES = 1 << 20;

  /** Half of what an offset can name, so that the base offset of heap pages fits in besides. */
  private static final long MAX_PAGE_BYTES = 1L << (PAGE_SHIFT - 1);

  /** Of the 8192 pages that all consumers of a task have together. */
  private static final int MAX_PAGES = 4096;

  /** Doubled, it stays below powers of two, see {@link #withoutHeader}. */
  private static final int FIRST_POINTERS = 508;

  /** Smaller blocks cost more to describe, compress and find than they hold. */
  private static final long WORTHY_BLOCK_BYTES = 16 << 10;

  /** Larger blocks gain nothing any more, while what is held has the collector mark the heap. */
  private static final long AMPLE_BLOCK_BYTES = 128 << 10;

  private static final long AMPLE_MIN_BYTES = 16 << 20;

  /** What many partitions may raise the size to at which a sorter drains. */
  private static final int MAX_DRAIN_FACTOR = 4;

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
  private boolean busy;
  private byte[] block = new byte[0];
  private long peakBytes;
  private int drains;

  /**
   * @param spillBytes bytes of task memory at which to drain, even if Spark would give more
   * @param blockBytes content of a block, unless one record is larger
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
   * The size at which to drain for so many partitions: what is configured, less if blocks are large
   * with less, or up to four times as much where that makes blocks that are not tiny.
   */
  static long drainBytes(long configuredBytes, int partitions) {
    long worthyBytes =
        Math.min(partitions * WORTHY_BLOCK_BYTES, configuredBytes * MAX_DRAIN_FACTOR);
    long ampleBytes = Math.max(partitions * AMPLE_BLOCK_BYTES, AMPLE_MIN_BYTES);
    return Math.max(Math.min(configuredBytes, ampleBytes), worthyBytes);
  }

  /** A full sorter has some 64 pages. */
  private static long fullPageBytes(TaskMemoryManager memory, long spillBytes) {
    long wanted = Math.min(MAX_PAGE_BYTES, Math.max(MIN_FULL_PAGE_BYTES, spillBytes / 64));
    return Math.min(withoutHeader(wanted), memory.pageSizeBytes());
  }

  /**
   * An array of just over a power of two takes twice that where the collector gives large objects
   * whole regions, as G1 does.
   */
  private static long withoutHeader(long bytes) {
    return bytes - Platform.LONG_ARRAY_OFFSET;
  }

  /** Copies a record in. Borrows {@code base}. */
  public void insert(Object base, long offset, int length, int partition) throws IOException {
    busy = true;
    try {
      int required = Math.addExact(length, lengthBytes);
      if (count > 0 && getUsed() >= spillBytes && !(pageHasRoom(required) && pointersHaveRoom())) {
        drain();
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
      UnsafeAlignedOffset.putSize(pageBase, pageCursor, length);
      pageCursor += lengthBytes;
      Platform.copyMemory(base, offset, pageBase, pageCursor, length);
      pageCursor += length;
      if (lengthBytes == Long.BYTES) {
        pageCursor = (pageCursor + Long.BYTES - 1) & -Long.BYTES;
      }
      pointers.set(
          count++,
          (long) partition << PARTITION_SHIFT
              | (address >>> PAGE_BITS_IN_ADDRESS) << PAGE_SHIFT
              | (address & OFFSET_MASK));
      recordBytes += length;
    } finally {
      busy = false;
    }
  }

  /** Gives out everything that is left. */
  public void finish() throws IOException {
    busy = true;
    try {
      output.beginFinalPass();
      drain();
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

  /** Most task memory ever held, in bytes. */
  public long peakBytes() {
    notePeak();
    return peakBytes;
  }

  /** Times that records were given out, the final one included. */
  public int drains() {
    return drains;
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
      drain();
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
      drain();
    }
    page = newPage(required);
    pages.add(page);
    pageCursor = page.getBaseOffset();
    pageEnd = pageCursor + page.size();
  }

  /**
   * As large as all pages before it together, up to a full page, if Spark has that much. May drain
   * this sorter, through spill(), to find the memory.
   */
  private MemoryBlock newPage(int required) {
    long wanted = Math.min(fullPageBytes, Math.max(FIRST_PAGE_BYTES, getUsed()));
    if (wanted > required) {
      try {
        return allocatePage(wanted);
      } catch (SparkOutOfMemoryError e) {
        // Less may still do.
        LOG.debug("no full page of task memory bytes={}", wanted);
      }
    }
    return allocatePage(required);
  }

  private void growPointers() throws IOException {
    long wanted = pointers == null ? FIRST_POINTERS : pointers.size() * 2;
    if (wanted / 2 > Integer.MAX_VALUE) {
      drain();
      return;
    }
    LongArray larger;
    try {
      // May drain this sorter, through spill(), to find the memory.
      larger = allocateArray(wanted);
    } catch (TooLargePageException e) {
      drain();
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

  /** Afterwards the sorter holds no records and no pages. */
  private void drain() throws IOException {
    notePeak();
    if (count > 0) {
      drains++;
      int first =
          RadixSort.sort(pointers, count, FIRST_SORTED_BYTE, LAST_SORTED_BYTE, false, false);
      giveOut(first, first + count);
      count = 0;
      recordBytes = 0;
    }
    freePages();
    if (pointers != null && pointers.size() > FIRST_POINTERS) {
      freePointers();
    }
  }

  private void giveOut(int first, int end) throws IOException {
    int needed = (int) Math.min(blockBytes, recordBytes);
    if (block.length < needed) {
      block = new byte[needed];
    }
    int partition = -1;
    int filled = 0;
    int records = 0;
    for (int i = first; i < end; i++) {
      long pointer = pointers.get(i);
      int recordPartition = (int) (pointer >>> PARTITION_SHIFT);
      long address =
          (pointer >>> PAGE_SHIFT & PAGE_MASK) << PAGE_BITS_IN_ADDRESS | (pointer & OFFSET_MASK);
      Object base = taskMemoryManager.getPage(address);
      long at = taskMemoryManager.getOffsetInPage(address);
      int length = UnsafeAlignedOffset.getSize(base, at);
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
    if (records > 0) {
      output.add(partition, block, filled, records);
    }
  }

  private void freePages() {
    for (MemoryBlock held : pages) {
      freePage(held);
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
    count = 0;
    recordBytes = 0;
  }

  private void notePeak() {
    peakBytes = Math.max(peakBytes, getUsed());
  }
}

package org.apache.hadoop.mapred;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.util.IndexedSortable;
import org.apache.hadoop.util.IndexedSorter;
import org.apache.hadoop.util.Progress;
import org.apache.hadoop.util.Progressable;

/**
 * Serialized records of a map task, sorted by partition and key. Its memory is bounded, except for
 * one record that is larger than the limit. Owned by the task thread.
 *
 * <p>Pages store the records: partition, length of the value, key, value. Index arrays with the
 * position and key prefix of each record are sorted. A counting sort by partition comes first, so
 * that keys are compared only within their partition.
 */
final class SortBuffer<K> implements IndexedSortable {
  private static final int HEADER_BYTES = 8;
  private static final int FIRST_CAPACITY = 256;
  private static final int MIN_PAGE_BYTES = 4 << 10;
  private static final int MAX_PAGE_BYTES = 1 << 20;

  private final int partitions;
  private final long limitBytes;
  private final int pageBytes;
  private final RawComparator<K> comparator;
  private final KeyPrefix prefix;
  private final IndexedSorter sorter;
  private final int indexBytes;

  private byte[][] pages = new byte[16][];
  private int pageCount;
  private final Deque<byte[]> free = new ArrayDeque<>();
  private long allocatedBytes;
  private int used;
  private long[] positions = new long[FIRST_CAPACITY];
  private int[] keyLengths = new int[FIRST_CAPACITY];

  /** Empty for {@link KeyPrefix#UNKNOWN}. */
  private long[] prefixes;

  private int count;
  private int[] starts;

  /**
   * @param limitBytes maximum memory of pages and index arrays
   */
  SortBuffer(int partitions, long limitBytes, RawComparator<K> comparator, IndexedSorter sorter) {
    this.partitions = partitions;
    this.limitBytes = limitBytes;
    this.pageBytes = (int) Math.max(MIN_PAGE_BYTES, Math.min(MAX_PAGE_BYTES, limitBytes / 64));
    this.comparator = comparator;
    this.prefix = KeyPrefix.of(comparator);
    this.sorter = sorter;
    int prefixBytes = prefix == KeyPrefix.UNKNOWN ? 0 : Long.BYTES;
    this.indexBytes = Long.BYTES + Integer.BYTES + prefixBytes;
    this.prefixes = new long[prefixBytes == 0 ? 0 : FIRST_CAPACITY];
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Memory allocated now. */
  long bytes() {
    return allocatedBytes + (long) positions.length * indexBytes;
  }

  /**
   * Adds a record; returns false if the buffer is full. An empty buffer accepts every record.
   *
   * @param record borrows: the key, directly followed by the value
   * @param length length of key and value
   */
  boolean add(int partition, byte[] record, int keyLength, int length) {
    if (!hasIndexRoom() || !hasPageRoom(HEADER_BYTES + length)) {
      return false;
    }
    byte[] page = pages[pageCount - 1];
    putInt(page, used, partition);
    putInt(page, used + Integer.BYTES, length - keyLength);
    System.arraycopy(record, 0, page, used + HEADER_BYTES, length);
    positions[count] = (long) (pageCount - 1) << Integer.SIZE | used;
    keyLengths[count] = keyLength;
    if (prefixes.length > 0) {
      prefixes[count] = prefix.of(record, 0, keyLength);
    }
    used += HEADER_BYTES + length;
    count++;
    return true;
  }

  /** Writes a number as {@link WritableComparator#readInt} reads it. */
  private static void putInt(byte[] page, int index, int value) {
    page[index] = (byte) (value >>> 24);
    page[index + 1] = (byte) (value >>> 16);
    page[index + 2] = (byte) (value >>> 8);
    page[index + 3] = (byte) value;
  }

  private boolean hasIndexRoom() {
    if (count < positions.length) {
      return true;
    }
    int more = positions.length / 2;
    // Old and new arrays exist at the same time.
    if (bytes() + (long) (positions.length + more) * indexBytes > limitBytes) {
      return false;
    }
    positions = Arrays.copyOf(positions, count + more);
    keyLengths = Arrays.copyOf(keyLengths, count + more);
    if (prefixes.length > 0) {
      prefixes = Arrays.copyOf(prefixes, count + more);
    }
    return true;
  }

  private boolean hasPageRoom(int length) {
    if (pageCount > 0 && pages[pageCount - 1].length - used >= length) {
      return true;
    }
    byte[] page = length <= pageBytes ? free.poll() : null;
    if (page == null) {
      int size = Math.max(pageBytes, length);
      if (count > 0 && bytes() + size > limitBytes) {
        return false;
      }
      page = new byte[size];
      allocatedBytes += size;
    }
    if (pageCount == pages.length) {
      pages = Arrays.copyOf(pages, 2 * pageCount);
    }
    pages[pageCount++] = page;
    used = 0;
    return true;
  }

  /** Sorts the records. No record may be added afterwards until {@link #clear}. */
  void sort(Progressable progress) {
    starts = new int[partitions + 1];
    for (int i = 0; i < count; i++) {
      starts[partition(i) + 1]++;
    }
    for (int p = 0; p < partitions; p++) {
      starts[p + 1] += starts[p];
    }
    int[] next = Arrays.copyOf(starts, partitions);
    for (int p = 0; p < partitions; p++) {
      while (next[p] < starts[p + 1]) {
        int home = partition(next[p]);
        if (home == p) {
          next[p]++;
        } else {
          swap(next[p], next[home]++);
        }
      }
    }
    for (int p = 0; p < partitions; p++) {
      if (starts[p + 1] - starts[p] > 1) {
        sorter.sort(this, starts[p], starts[p + 1], progress);
      }
    }
  }

  /** The sorted records of a partition. Returned buffers are valid until the next record. */
  RawKeyValueIterator records(int partition) {
    return new Records(starts[partition], starts[partition + 1]);
  }

  boolean isEmpty(int partition) {
    return starts[partition] == starts[partition + 1];
  }

  /** Removes all records; keeps standard pages for reuse. */
  void clear() {
    for (int i = 0; i < pageCount; i++) {
      byte[] page = pages[i];
      pages[i] = null;
      if (page.length == pageBytes) {
        free.push(page);
      } else {
        allocatedBytes -= page.length;
      }
    }
    pageCount = 0;
    used = 0;
    count = 0;
    starts = null;
  }

  private byte[] page(int i) {
    return pages[(int) (positions[i] >>> Integer.SIZE)];
  }

  private int partition(int i) {
    return WritableComparator.readInt(page(i), (int) positions[i]);
  }

  @Override
  public int compare(int i, int j) {
    if (prefixes.length > 0 && prefixes[i] != prefixes[j]) {
      return prefixes[i] < prefixes[j] ? -1 : 1;
    }
    return comparator.compare(
        page(i),
        (int) positions[i] + HEADER_BYTES,
        keyLengths[i],
        page(j),
        (int) positions[j] + HEADER_BYTES,
        keyLengths[j]);
  }

  @Override
  public void swap(int i, int j) {
    long position = positions[i];
    positions[i] = positions[j];
    positions[j] = position;
    int length = keyLengths[i];
    keyLengths[i] = keyLengths[j];
    keyLengths[j] = length;
    if (prefixes.length > 0) {
      long begin = prefixes[i];
      prefixes[i] = prefixes[j];
      prefixes[j] = begin;
    }
  }

  private final class Records implements RawKeyValueIterator {
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private final int end;
    private int at;

    Records(int start, int end) {
      this.at = start - 1;
      this.end = end;
    }

    @Override
    public boolean next() {
      return ++at < end;
    }

    @Override
    public DataInputBuffer getKey() {
      key.reset(page(at), (int) positions[at] + HEADER_BYTES, keyLengths[at]);
      return key;
    }

    @Override
    public DataInputBuffer getValue() {
      byte[] page = page(at);
      int start = (int) positions[at];
      value.reset(
          page,
          start + HEADER_BYTES + keyLengths[at],
          WritableComparator.readInt(page, start + Integer.BYTES));
      return value;
    }

    @Override
    public Progress getProgress() {
      return null;
    }

    @Override
    public void close() {}
  }
}

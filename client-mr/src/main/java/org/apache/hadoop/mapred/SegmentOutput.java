package org.apache.hadoop.mapred;

import io.sluice.client.push.PushSession;
import io.sluice.mr.Segment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;

/**
 * Cuts sorted records into segments (docs/formats.md) and pushes them. A segment ends when its
 * records reach {@code segmentBytes}; records are never split. Owned by the task thread.
 */
final class SegmentOutput<K, V> implements PartitionedOutput<K, V>, AutoCloseable {
  private static final int CHECKSUM_BYTES = 4;
  private static final int END_MARK = -1;
  private static final int FIRST_BYTES = 64 << 10;

  private final PushSession session;
  private final CompressionCodec codec;
  private final int segmentBytes;
  private final Counters.Counter writtenRecords;
  private final Writer writer;
  private final Compressor compressor;
  private final Compressed compressed = new Compressed();
  private final CRC32 checksum = new CRC32();

  /** Space for the header, followed by records in {@code IFile} format. */
  private byte[] content = new byte[FIRST_BYTES];

  private int length = Segment.HEADER_BYTES;
  private int partition;
  private int index;
  private int records;
  private long segments;
  private long bytes;

  /** Writer for the combiner and for Hadoop's merge. */
  private final class Writer extends IFile.Writer<K, V> {
    private final DataOutputBuffer record = new DataOutputBuffer();
    private final Serializer<K> keys;
    private final Serializer<V> values;

    Writer(Serializer<K> keys, Serializer<V> values) {
      super(null);
      this.keys = keys;
      this.values = values;
    }

    @Override
    public void append(K key, V value) throws IOException {
      record.reset();
      keys.serialize(key);
      int keyLength = record.getLength();
      values.serialize(value);
      byte[] data = record.getData();
      write(data, 0, keyLength, data, keyLength, record.getLength() - keyLength);
    }

    @Override
    public void append(DataInputBuffer key, DataInputBuffer value) throws IOException {
      write(
          key.getData(),
          key.getPosition(),
          key.getLength() - key.getPosition(),
          value.getData(),
          value.getPosition(),
          value.getLength() - value.getPosition());
    }

    @Override
    public void close() {}
  }

  /** Gives access to its bytes without a copy. */
  private static final class Compressed extends ByteArrayOutputStream {
    byte[] array() {
      return buf;
    }
  }

  /**
   * @param session borrows
   * @param codec codec of the job's map output; null for none
   * @param keyClass class of keys that are appended as objects
   * @param writtenRecords counts every record that goes into a segment
   */
  SegmentOutput(
      PushSession session,
      Configuration conf,
      CompressionCodec codec,
      Class<K> keyClass,
      Class<V> valueClass,
      int segmentBytes,
      Counters.Counter writtenRecords)
      throws IOException {
    this.session = session;
    this.codec = codec;
    this.segmentBytes = segmentBytes;
    this.writtenRecords = writtenRecords;
    SerializationFactory serializations = new SerializationFactory(conf);
    this.writer =
        new Writer(
            serializations.getSerializer(keyClass), serializations.getSerializer(valueClass));
    writer.keys.open(writer.record);
    writer.values.open(writer.record);
    this.compressor = codec == null ? null : CodecPool.getCompressor(codec);
  }

  @Override
  public IFile.Writer<K, V> begin(int which) {
    partition = which;
    index = 0;
    return writer;
  }

  @Override
  public void end() throws IOException {
    // A partition without records also has a last segment, which is empty.
    seal(true);
  }

  private void write(
      byte[] key, int keyStart, int keyLength, byte[] value, int valueStart, int valueLength)
      throws IOException {
    if (length - Segment.HEADER_BYTES >= segmentBytes) {
      seal(false);
    }
    long needed = (long) length + 2 * 5 + keyLength + valueLength + 2 + CHECKSUM_BYTES;
    if (needed > content.length) {
      if (needed > Integer.MAX_VALUE - 16) {
        throw new IOException(
            "map output record is larger than 2 GiB keyBytes="
                + keyLength
                + " valueBytes="
                + valueLength);
      }
      content =
          Arrays.copyOf(content, (int) Math.max(needed, Math.min(2L * content.length, 1 << 30)));
    }
    number(keyLength);
    number(valueLength);
    System.arraycopy(key, keyStart, content, length, keyLength);
    length += keyLength;
    System.arraycopy(value, valueStart, content, length, valueLength);
    length += valueLength;
    records++;
  }

  /** Appends a number in the format of {@link WritableUtils#writeVInt}. */
  private void number(int value) {
    if (value >= -112 && value <= 127) {
      content[length++] = (byte) value;
      return;
    }
    int size = WritableUtils.getVIntSize(value) - 1;
    content[length++] = (byte) (-112 - size);
    for (int shift = (size - 1) * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      content[length++] = (byte) (value >>> shift);
    }
  }

  private void seal(boolean last) throws IOException {
    if (content.length - length < 2 + CHECKSUM_BYTES) {
      content = Arrays.copyOf(content, content.length + 2 + CHECKSUM_BYTES);
    }
    number(END_MARK);
    number(END_MARK);
    int rawLength = length - Segment.HEADER_BYTES;
    byte[] sealed = content;
    int end = length;
    if (compressor != null) {
      compress(rawLength);
      sealed = compressed.array();
      end = compressed.size() - CHECKSUM_BYTES;
    }
    checksum.reset();
    checksum.update(sealed, Segment.HEADER_BYTES, end - Segment.HEADER_BYTES);
    int sum = (int) checksum.getValue();
    for (int shift = 24; shift >= 0; shift -= Byte.SIZE) {
      sealed[end++] = (byte) (sum >>> shift);
    }
    new Segment(index++, last, rawLength).write(sealed);
    session.add(partition, sealed, 0, end, records);
    writtenRecords.increment(records);
    segments++;
    bytes += end - Segment.HEADER_BYTES;
    length = Segment.HEADER_BYTES;
    records = 0;
  }

  private void compress(int rawLength) throws IOException {
    compressed.reset();
    compressed.write(new byte[Segment.HEADER_BYTES]);
    compressor.reset();
    CompressionOutputStream out = codec.createOutputStream(compressed, compressor);
    out.write(content, Segment.HEADER_BYTES, rawLength);
    out.finish();
    out.flush();
    compressed.write(new byte[CHECKSUM_BYTES]);
  }

  long segments() {
    return segments;
  }

  /** Bytes of all segments without their headers. */
  long bytes() {
    return bytes;
  }

  @Override
  public void close() {
    if (compressor != null) {
      CodecPool.returnCompressor(compressor);
    }
  }
}

package org.apache.hadoop.mapred;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.mr.Segment;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;

/** Reads segments like a reducer. */
final class Contents {
  private Contents() {}

  record Entry(String key, String value) {}

  /**
   * Records of each segment of a partition; asserts that the segments are numbered and complete.
   */
  static List<List<Entry>> read(List<byte[]> contents, CompressionCodec codec) throws IOException {
    List<List<Entry>> segments = new ArrayList<>();
    for (byte[] content : contents) {
      ByteBuffer buffer = ByteBuffer.wrap(content);
      Segment segment = Segment.read(buffer);
      assertThat(segment.index()).isEqualTo(segments.size());
      assertThat(segment.last()).isEqualTo(segments.size() == contents.size() - 1);
      segments.add(read(content, segment.rawLength(), codec));
    }
    return segments;
  }

  private static List<Entry> read(byte[] content, long rawLength, CompressionCodec codec)
      throws IOException {
    byte[] file = Arrays.copyOfRange(content, Segment.HEADER_BYTES, content.length);
    IFile.Reader<?, ?> reader =
        new IFile.Reader<>(
            new Configuration(false),
            new FSDataInputStream(new Bytes(file)),
            file.length,
            codec,
            null);
    List<Entry> entries = new ArrayList<>();
    DataInputBuffer key = new DataInputBuffer();
    DataInputBuffer value = new DataInputBuffer();
    while (reader.nextRawKey(key)) {
      reader.nextRawValue(value);
      entries.add(new Entry(text(key), text(value)));
    }
    assertThat(reader.bytesRead).isEqualTo(rawLength);
    reader.close();
    return entries;
  }

  static String text(DataInputBuffer bytes) {
    return new String(
        bytes.getData(),
        bytes.getPosition(),
        bytes.getLength() - bytes.getPosition(),
        java.nio.charset.StandardCharsets.UTF_8);
  }

  private static final class Bytes extends ByteArrayInputStream
      implements Seekable, PositionedReadable {
    Bytes(byte[] bytes) {
      super(bytes);
    }

    @Override
    public void seek(long at) {
      pos = (int) at;
    }

    @Override
    public long getPos() {
      return pos;
    }

    @Override
    public boolean seekToNewSource(long at) {
      return false;
    }

    @Override
    public int read(long at, byte[] to, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void readFully(long at, byte[] to, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void readFully(long at, byte[] to) {
      throw new UnsupportedOperationException();
    }
  }
}

package io.sluice.spark.read;

import io.sluice.spark.RowSerializer;
import io.sluice.spark.engine.BlockContents;
import io.sluice.spark.engine.RecordDecoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Decodes rows of Spark SQL as a {@link RowSerializer} does, but without streams and copies: a row
 * is in the content itself. One row object is used for all rows, as in Spark.
 */
final class RowDecoder implements RecordDecoder {
  /** Spark's serializer returns this key with every row. */
  private static final Integer KEY = 0;

  private final RowSerializer serializer;

  RowDecoder(RowSerializer serializer) {
    this.serializer = serializer;
  }

  @Override
  public Iterator<Tuple2<Object, Object>> decode(BlockContents contents) {
    return new Rows(contents, serializer.fields());
  }

  @Override
  public long rows(Tuple2<Object, Object> record) {
    return 1;
  }

  private static final class Rows extends DecodedRecords {
    private final BlockContents contents;
    private final int minRowBytes;
    private final UnsafeRow row;
    private final Tuple2<Object, Object> record;
    private ByteBuffer content = ByteBuffer.allocate(0);
    private byte[] lastRow = new byte[0];

    private Rows(BlockContents contents, int fields) {
      this.contents = contents;
      this.minRowBytes = UnsafeRow.calculateBitSetWidthInBytes(fields) + fields * Long.BYTES;
      this.row = new UnsafeRow(fields);
      this.record = new Tuple2<>(KEY, row);
    }

    @Override
    boolean find() throws IOException {
      return content.hasRemaining() || advance();
    }

    private boolean advance() throws IOException {
      ByteBuffer next = contents.next();
      if (next != null) {
        content = next.order(ByteOrder.BIG_ENDIAN);
      }
      return next != null;
    }

    @Override
    Tuple2<Object, Object> take() throws IOException {
      int length = nextLength();
      int at = content.position();
      content.position(at + length);
      if (content.hasRemaining()) {
        row.pointTo(
            content.array(),
            Platform.BYTE_ARRAY_OFFSET + content.arrayOffset() + (long) at,
            length);
      } else {
        pointToCopy(at, length);
      }
      return record;
    }

    private int nextLength() throws IOException {
      int found = content.remaining();
      int length = found < Integer.BYTES ? -1 : content.getInt();
      if (length < minRowBytes || length % Long.BYTES != 0 || length > content.remaining()) {
        throw new IOException(
            "bytes of a shuffle block are not rows: expected a row of at least "
                + minRowBytes
                + " bytes, a multiple of 8, found length="
                + length
                + " in "
                + found
                + " bytes");
      }
      return length;
    }

    /** Copies the last row of a content, because it is valid until the next row is taken. */
    private void pointToCopy(int at, int length) {
      if (lastRow.length < length) {
        lastRow = new byte[length];
      }
      System.arraycopy(content.array(), content.arrayOffset() + at, lastRow, 0, length);
      row.pointTo(lastRow, length);
    }
  }
}

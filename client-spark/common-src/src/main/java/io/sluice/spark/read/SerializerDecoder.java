package io.sluice.spark.read;

import io.sluice.spark.RowSerializer;
import io.sluice.spark.engine.BlockContents;
import io.sluice.spark.engine.BlockInputStream;
import io.sluice.spark.engine.RecordDecoder;
import java.io.IOException;
import java.util.Optional;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.unsafe.Platform;
import scala.Tuple2;
import scala.collection.Iterator;

/** Decodes records with a serializer of Spark: one stream, if its streams can be joined. */
public final class SerializerDecoder implements RecordDecoder {
  private final SerializerInstance serializer;
  private final boolean joinsBlocks;

  private SerializerDecoder(Serializer serializer) {
    this.serializer = serializer.newInstance();
    this.joinsBlocks = serializer.supportsRelocationOfSerializedObjects();
  }

  /**
   * The decoder for records of a serializer. Rows of Spark SQL are read where they are, at
   * addresses that need not be multiples of 8, which few processors do not support.
   */
  public static RecordDecoder of(Serializer serializer) {
    if (Platform.unaligned()) {
      Optional<RowSerializer> rows = RowSerializer.of(serializer);
      if (rows.isPresent()) {
        return new RowDecoder(rows.get());
      }
    }
    return new SerializerDecoder(serializer);
  }

  @Override
  public Iterator<Tuple2<Object, Object>> decode(BlockContents contents) {
    BlockInputStream stream = new BlockInputStream(contents, joinsBlocks);
    return joinsBlocks ? records(stream) : new Separate(stream);
  }

  private Iterator<Tuple2<Object, Object>> records(BlockInputStream stream) {
    return serializer.deserializeStream(stream).asKeyValueIterator();
  }

  /** Records of one content after the other. */
  private final class Separate extends DecodedRecords {
    private final BlockInputStream stream;
    private Iterator<Tuple2<Object, Object>> current;

    private Separate(BlockInputStream stream) {
      this.stream = stream;
    }

    @Override
    boolean find() throws IOException {
      while (current == null || !current.hasNext()) {
        if (!stream.advance()) {
          return false;
        }
        current = records(stream);
      }
      return true;
    }

    @Override
    Tuple2<Object, Object> take() {
      return current.next();
    }
  }

  @Override
  public long rows(Tuple2<Object, Object> record) {
    return 1;
  }
}

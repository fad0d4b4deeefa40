package io.sluice.spark.read;

import io.sluice.spark.engine.RecordDecoder;
import java.io.InputStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import scala.Tuple2;
import scala.collection.Iterator;

/** Decodes records with a serializer of Spark. */
public final class SerializerDecoder implements RecordDecoder {
  private final SerializerInstance serializer;
  private final boolean joinsBlocks;

  public SerializerDecoder(Serializer serializer) {
    this.serializer = serializer.newInstance();
    this.joinsBlocks = serializer.supportsRelocationOfSerializedObjects();
  }

  @Override
  public boolean joinsBlocks() {
    return joinsBlocks;
  }

  @Override
  public Iterator<Tuple2<Object, Object>> decode(InputStream blocks) {
    return serializer.deserializeStream(blocks).asKeyValueIterator();
  }

  @Override
  public long rows(Tuple2<Object, Object> record) {
    return 1;
  }
}

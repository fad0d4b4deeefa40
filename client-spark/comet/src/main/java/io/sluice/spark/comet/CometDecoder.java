package io.sluice.spark.comet;

import io.sluice.spark.engine.BlockContents;
import io.sluice.spark.engine.BlockInputStream;
import io.sluice.spark.engine.RecordDecoder;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.comet.execution.shuffle.CometShuffleDependency;
import org.apache.spark.sql.comet.execution.shuffle.NativeBatchDecoderIterator;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/**
 * Decodes all blocks of a reduce task with one of Comet's decoders, which frees its memory after
 * the last batch or when the task ends.
 */
final class CometDecoder implements RecordDecoder {
  /** Comet's readers use this key for every batch. */
  private static final Integer KEY = 0;

  private final CometShuffleDependency<?, ?, ?> dependency;
  private final TaskContext context;

  CometDecoder(CometShuffleDependency<?, ?, ?> dependency, TaskContext context) {
    this.dependency = dependency;
    this.context = context;
  }

  @Override
  public Iterator<Tuple2<Object, Object>> decode(BlockContents contents) {
    // A block has whole frames, which do not depend on each other.
    BlockInputStream blocks = new BlockInputStream(contents, true);
    NativeBatchDecoderIterator batches =
        new NativeBatchDecoderIterator(blocks, context, dependency.decodeTime());
    return new AbstractIterator<>() {
      @Override
      public boolean hasNext() {
        return batches.hasNext();
      }

      @Override
      public Tuple2<Object, Object> next() {
        return new Tuple2<>(KEY, batches.next());
      }
    };
  }

  @Override
  public long rows(Tuple2<Object, Object> record) {
    return ((ColumnarBatch) record._2()).numRows();
  }
}

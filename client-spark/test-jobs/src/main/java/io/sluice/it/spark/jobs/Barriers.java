package io.sluice.it.spark.jobs;

import java.io.Serializable;
import java.util.Iterator;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import scala.collection.JavaConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction1;

/** Barrier execution, for which Spark has no Java API. */
final class Barriers {
  private Barriers() {}

  /** Function that the tasks of a barrier stage apply to their records. */
  interface BarrierTask<T, R> extends Serializable {
    Iterator<R> apply(Iterator<T> records);
  }

  private static final class Scala<T, R>
      extends AbstractFunction1<scala.collection.Iterator<T>, scala.collection.Iterator<R>>
      implements Serializable {
    private static final long serialVersionUID = 1;
    private final BarrierTask<T, R> together;

    Scala(BarrierTask<T, R> together) {
      this.together = together;
    }

    @Override
    public scala.collection.Iterator<R> apply(scala.collection.Iterator<T> records) {
      return JavaConverters.asScalaIterator(together.apply(JavaConverters.asJavaIterator(records)));
    }
  }

  static <T> JavaRDD<T> mapTogether(RDD<T> records, BarrierTask<T, T> together) {
    ClassTag<T> tag = ClassTag$.MODULE$.apply(Object.class);
    return new JavaRDD<>(records.barrier().mapPartitions(new Scala<>(together), false, tag), tag);
  }
}

package org.apache.hadoop.mapred;

import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.util.ReflectionUtils;

/** The codec that a job wants for its map output. */
final class MapOutputCodec {
  private MapOutputCodec() {}

  /** Null if it wants none. */
  static CompressionCodec of(JobConf job) {
    return job.getCompressMapOutput()
        ? ReflectionUtils.newInstance(job.getMapOutputCompressorClass(DefaultCodec.class), job)
        : null;
  }
}

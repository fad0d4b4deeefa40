package org.apache.hadoop.mapred;

import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.util.ReflectionUtils;

/** The compression codec that a job configures for its map output. */
final class MapOutputCodec {
  private MapOutputCodec() {}

  /** The codec of a job; null for none. */
  static CompressionCodec of(JobConf job) {
    return job.getCompressMapOutput()
        ? ReflectionUtils.newInstance(job.getMapOutputCompressorClass(DefaultCodec.class), job)
        : null;
  }
}

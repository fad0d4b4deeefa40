package io.sluice.storage.hadoop;

import io.sluice.server.RemoteTierServerContract;

/** A complete server with Hadoop's local file system as remote tier, in a separate class loader. */
class HadoopTierServerTest extends RemoteTierServerContract {
  @Override
  protected String classPath() {
    return System.getProperty("java.class.path");
  }

  @Override
  protected String location() {
    return "file:" + remote();
  }
}

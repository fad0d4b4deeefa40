package io.sluice.client.file.hadoop;

import io.sluice.client.file.RemoteDirectory;
import io.sluice.client.file.RemoteRunFiles;
import io.sluice.client.file.RunFileOpener;

/** The service by which clients find {@link HadoopRunFiles}. Names no class of Hadoop. */
public final class HadoopRunFilesService implements RemoteRunFiles {
  /** As {@link java.util.ServiceLoader} calls it. */
  public HadoopRunFilesService() {}

  @Override
  public RunFileOpener below(RemoteDirectory directory) {
    return new HadoopRunFiles(directory);
  }
}

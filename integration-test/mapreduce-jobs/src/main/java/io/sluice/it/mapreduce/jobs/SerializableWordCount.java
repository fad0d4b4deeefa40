package io.sluice.it.mapreduce.jobs;

import java.io.IOException;
import java.io.Serializable;
import java.util.Comparator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.serializer.JavaSerialization;
import org.apache.hadoop.io.serializer.JavaSerializationComparator;
import org.apache.hadoop.io.serializer.WritableSerialization;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Counts words with Java-serializable keys and values instead of {@code Writable}s, sorted by
 * length first, and with a partitioner by last letter.
 *
 * <p>Arguments: input and output. Output: word, count, and smallest offset in a file of a line with
 * the word.
 */
public final class SerializableWordCount extends Configured implements Tool {
  /** A key: short words first. */
  public record Word(String text) implements Serializable, Comparable<Word> {
    private static final Comparator<Word> ORDER =
        Comparator.<Word>comparingInt(word -> word.text().length()).thenComparing(Word::text);

    @Override
    public int compareTo(Word other) {
      return ORDER.compare(this, other);
    }
  }

  /** A value. */
  public record Seen(long times, long firstOffset) implements Serializable {
    Seen and(Seen more) {
      return new Seen(times + more.times(), Math.min(firstOffset, more.firstOffset()));
    }
  }

  /** Partitions words by their last letter. */
  public static final class ByLastLetter extends Partitioner<Word, Seen> {
    @Override
    public int getPartition(Word word, Seen seen, int partitions) {
      return word.text().charAt(word.text().length() - 1) % partitions;
    }
  }

  /** One record for each word. */
  public static final class Split extends Mapper<LongWritable, Text, Word, Seen> {
    @Override
    protected void map(
        LongWritable offset, Text line, Mapper<LongWritable, Text, Word, Seen>.Context context)
        throws IOException, InterruptedException {
      for (String word : line.toString().strip().split("\\s+")) {
        if (!word.isEmpty()) {
          context.write(new Word(word), new Seen(1, offset.get()));
        }
      }
    }
  }

  /** Combines the records of a word. */
  public static final class Combine extends Reducer<Word, Seen, Word, Seen> {
    @Override
    protected void reduce(
        Word word, Iterable<Seen> seen, Reducer<Word, Seen, Word, Seen>.Context context)
        throws IOException, InterruptedException {
      context.write(word, sum(seen));
    }
  }

  /** A row of output for each word. */
  public static final class Write extends Reducer<Word, Seen, Text, Text> {
    @Override
    protected void reduce(
        Word word, Iterable<Seen> seen, Reducer<Word, Seen, Text, Text>.Context context)
        throws IOException, InterruptedException {
      Seen all = sum(seen);
      context.write(new Text(word.text()), new Text(all.times() + "\t" + all.firstOffset()));
    }
  }

  private static Seen sum(Iterable<Seen> seen) {
    Seen all = new Seen(0, Long.MAX_VALUE);
    for (Seen one : seen) {
      all = all.and(one);
    }
    return all;
  }

  @Override
  public int run(String[] args) throws Exception {
    Configuration conf = getConf();
    conf.setStrings(
        "io.serializations",
        JavaSerialization.class.getName(),
        WritableSerialization.class.getName());
    Job job = Job.getInstance(conf, "serializable words");
    job.setJarByClass(SerializableWordCount.class);
    job.setMapperClass(Split.class);
    job.setCombinerClass(Combine.class);
    job.setPartitionerClass(ByLastLetter.class);
    job.setSortComparatorClass(JavaSerializationComparator.class);
    job.setReducerClass(Write.class);
    job.setMapOutputKeyClass(Word.class);
    job.setMapOutputValueClass(Seen.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new SerializableWordCount(), args));
  }
}

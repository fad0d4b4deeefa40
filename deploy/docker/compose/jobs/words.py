"""Counts words with a shuffle of Python records and one of rows, and compares both."""

from pyspark.sql import SparkSession, functions

WORDS = "map shuffle reduce spill merge fetch push".split()
COUNT = 200_000

spark = SparkSession.builder.appName("words").getOrCreate()

records = spark.sparkContext.range(COUNT, numSlices=8).map(lambda number: (WORDS[number % len(WORDS)], 1))
counted = dict(records.reduceByKey(lambda one, other: one + other, 4).collect())

words = functions.array(*[functions.lit(word) for word in WORDS])
rows = spark.range(COUNT).select(words[functions.col("id") % len(WORDS)].alias("word"))
grouped = {row["word"]: row["count"] for row in rows.repartition(8).groupBy("word").count().collect()}

assert sum(counted.values()) == COUNT and counted == grouped, (counted, grouped)
for word in sorted(counted):
    print(word, counted[word])
spark.stop()

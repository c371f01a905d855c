-- History partitions for today and the days ahead, before the first job completes.
SELECT internal_make_partitions();

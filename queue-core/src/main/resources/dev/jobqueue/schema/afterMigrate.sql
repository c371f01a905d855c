-- History partitions for today and the days ahead, before the first job completes.
DO $$ BEGIN PERFORM internal_make_partitions(); END $$;

package dev.jobqueue.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrefetchTests {

    private static final int MOST = 50;
    private static final long MUCH = 10_000;

    private final Prefetch prefetch = new Prefetch();

    @Test
    void wantsLargerBatchesForEachFreeSlotUpToWhatAHandlerTakes() {
        assertThat(prefetch.wanted(2, 0, false, MUCH)).isEqualTo(2);
        prefetch.taken(1, MOST);
        assertThat(prefetch.wanted(2, 0, false, MUCH)).isEqualTo(8);
        prefetch.taken(4, MOST);
        assertThat(prefetch.wanted(2, 3, false, MUCH)).isEqualTo(29);
        prefetch.taken(16, MOST);
        assertThat(prefetch.wanted(1, 0, false, MUCH)).isEqualTo(MOST);
    }

    @Test
    void wantsOneJobForEachFreeSlotAgainAfterAJobThatIsHandledAlone() {
        prefetch.taken(MOST, MOST);
        prefetch.takenAlone();
        assertThat(prefetch.wanted(2, 0, false, MUCH)).isEqualTo(2);
    }

    @Test
    void wantsNoMoreThanAClaimBrings() {
        prefetch.taken(1_000, 1_000);
        assertThat(prefetch.wanted(50, 0, false, MUCH)).isEqualTo(2_000);
    }

    @Test
    void wantsOnlyWholeBatchesAhead() {
        prefetch.taken(MOST, MOST);
        prefetch.handled(MOST);
        assertThat(prefetch.wanted(0, 0, false, 120)).isEqualTo(100);
        assertThat(prefetch.wanted(0, 60, false, 120)).isZero();
        prefetch.handled(MOST);
        assertThat(prefetch.wanted(0, 0, false, MOST - 1)).isZero();
    }
}

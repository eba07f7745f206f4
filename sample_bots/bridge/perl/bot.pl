#!/usr/bin/env perl
# A bot in Perl without modules from elsewhere: JSON::PP comes with it.
# Greedy in Battle for Stalingrad, any option in other games.
use strict;
use warnings;
use JSON::PP;

$| = 1;    # each answer goes out at once
die "bot.pl: run me through the bridge: warladder bridge -- $0\n" unless $ENV{WARLADDER_SEED};

my %worth = (
    buy => 40, ignore => 50, ration => 30, retreat => 20, place_ration => 10, play => 2,
    participants => 1, pass => 0, end => 0, stop => 0,
);

while (my $line = <STDIN>) {
    my $told = decode_json($line);
    next unless $told->{type} eq 'decide';
    print encode_json({ option => choose($told) }), "\n";
}

sub choose {
    my ($asked) = @_;
    my @options = @{ $asked->{options} };
    return $asked->{chance} % @options unless $asked->{game} eq 'stalingrad';
    my $table = table($asked->{view}{stalingrad});
    my @scores = map { score($table, $asked->{seat}, $_->{stalingrad}) } @options;
    my ($best) = sort { $b <=> $a } @scores;
    my @equal = grep { $scores[$_] == $best } 0 .. $#options;
    return $equal[ $asked->{chance} % @equal ];
}

# Strength of each side in each area: its Forces, their Rations and medals.
sub table {
    my ($view) = @_;
    my %table;
    for my $k (0 .. $#{ $view->{forces} }) {
        my ($force, $rations) = ($view->{forces}[$k], $view->{rations}[$k]);
        my $weight = 3 + ($rations < 4 ? $rations : 4) + 2 * $view->{medals}[$k];
        $table{ $view->{areas}[$k] }[ $force =~ /^R/ ? 0 : 1 ] += $weight;
    }
    return \%table;
}

sub score {
    my ($table, $seat, $option) = @_;
    my $verb = $option->{verb};
    my $area = $option->{area} || "$option->{location}.C";
    my ($own, $enemy) = map { $_ // 0 } @{ $table->{$area} // [] }[ $seat, 1 - $seat ];
    return 2 * $own >= 3 * $enemy ? 10 + $own - $enemy : -1 if $verb eq 'attack';
    return scalar @{ $option->{forces} } if $verb eq 'participants';
    return $area =~ /\.C$/ ? 20 + $own - $enemy : 0 if $verb eq 'to';
    return ($worth{$verb} // -1) + $option->{rations};
}

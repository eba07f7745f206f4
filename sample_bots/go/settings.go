package main

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// settings is what the environment and the flags say; flags go first.
type settings struct {
	bot        string
	referee    string
	token      string
	seed       string // of the bot's own chance
	maxMatches int
	instance   string
	trust      credentials.TransportCredentials
}

// dial makes a line to a referee.
func (s settings) dial(referee string, options ...grpc.DialOption) (*grpc.ClientConn, error) {
	return grpc.NewClient(referee, append(options, grpc.WithTransportCredentials(s.trust))...)
}

// trusted is TLS if WARLADDER_TLS_CA names whom to trust.
//
// WARLADDER_TLS_CERTIFICATE and WARLADDER_TLS_KEY are for referees that want to see a certificate
// of the bot. All three are PEM files.
func trusted() (credentials.TransportCredentials, error) {
	authority := os.Getenv("WARLADDER_TLS_CA")
	if authority == "" {
		return insecure.NewCredentials(), nil
	}
	pem, err := os.ReadFile(authority)
	if err != nil {
		return nil, fmt.Errorf("WARLADDER_TLS_CA: %w", err)
	}
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("WARLADDER_TLS_CA: %s: no certificate in PEM", authority)
	}
	own, key := os.Getenv("WARLADDER_TLS_CERTIFICATE"), os.Getenv("WARLADDER_TLS_KEY")
	if (own == "") != (key == "") {
		return nil, errors.New("WARLADDER_TLS_CERTIFICATE and WARLADDER_TLS_KEY go together: set both")
	}
	if own != "" {
		chain, err := os.ReadFile(own)
		if err != nil {
			return nil, fmt.Errorf("WARLADDER_TLS_CERTIFICATE: %w", err)
		}
		secret, err := os.ReadFile(key)
		if err != nil {
			return nil, fmt.Errorf("WARLADDER_TLS_KEY: %w", err)
		}
		pair, err := tls.X509KeyPair(chain, secret)
		if err != nil {
			return nil, fmt.Errorf("WARLADDER_TLS_CERTIFICATE and WARLADDER_TLS_KEY: %s and %s: %w"+
				" (`openssl pkcs8 -topk8 -nocrypt` takes a password off)", own, key, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(config), nil
}

// readSettings ends the program with a line on what is wrong, and exit code 2.
func readSettings(bots map[string]chooser) settings {
	names := slices.Sorted(maps.Keys(bots))
	given := settings{}
	flags := flag.NewFlagSet("bot", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&given.referee, "referee", "", "`address` to dial, else WARLADDER_REFEREE")
	flags.StringVar(&given.token, "token", "", "who we are, else WARLADDER_TOKEN")
	flags.StringVar(&given.seed, "seed", "", "of the bot's own chance, else WARLADDER_SEED")
	flags.IntVar(&given.maxMatches, "max-matches", 1, "how many at once")
	flags.StringVar(&given.instance, "instance", "", "tells running copies apart")

	// Flags may stand before the bot's name and after it.
	var words []string
	for rest := os.Args[1:]; ; rest = flags.Args()[1:] {
		switch err := flags.Parse(rest); {
		case errors.Is(err, flag.ErrHelp):
			fmt.Printf("usage: bot [flags] %s\n\nA bot for Battle for Stalingrad.\n\n",
				strings.Join(names, "|"))
			flags.SetOutput(os.Stdout)
			flags.PrintDefaults()
			os.Exit(0)
		case err != nil:
			refuse("%v", err)
		}
		if flags.NArg() == 0 {
			break
		}
		words = append(words, flags.Arg(0))
	}
	if len(words) != 1 || bots[words[0]] == nil {
		refuse("which bot? give one of %s", strings.Join(names, ", "))
	}
	given.bot = words[0]
	given.referee = cmp.Or(given.referee, os.Getenv("WARLADDER_REFEREE"), "localhost:7700")
	given.token = cmp.Or(given.token, os.Getenv("WARLADDER_TOKEN"))
	given.seed = cmp.Or(given.seed, os.Getenv("WARLADDER_SEED"), rand.Text())
	if given.token == "" || strings.ContainsFunc(given.token, unprintable) {
		refuse("no token: set WARLADDER_TOKEN to what `warladder bot add` printed")
	}
	if given.maxMatches < 1 || given.maxMatches > 1000 {
		refuse("--max-matches takes a whole number from 1 to 1000")
	}
	var err error
	if given.trust, err = trusted(); err != nil {
		refuse("%v", err)
	}
	return given
}

// unprintable says whether a character has no place in a call's metadata.
func unprintable(character rune) bool {
	return character < ' ' || character > '~'
}

func refuse(format string, words ...any) {
	say("bot: error: "+format, words...)
	os.Exit(2)
}
